/** A codicon. It says nothing to a screen reader: the text beside it, or the button's label, does. */
export function Icon({ name, spin = false }: { readonly name: string; readonly spin?: boolean }) {
  return <i class={`codicon codicon-${name}${spin ? ' spin' : ''}`} aria-hidden="true" />;
}

interface IconButtonProps {
  readonly icon: string;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly class?: string;
}

export function IconButton({ icon, label, onClick, disabled = false, class: extra = '' }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      title={label}
      aria-label={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
