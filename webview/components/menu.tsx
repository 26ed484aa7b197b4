/**
 * A button that opens a list: pickers and the ways to allow. The list lies over the page, so nothing moves.
 * Arrow keys, Home, End and first letters walk; Enter picks; Escape, Tab and a click elsewhere close.
 */
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon';
import { Shown, Worded } from './shown';

export interface MenuItem {
  readonly key: string;
  readonly label: string;
  readonly detail?: string;
  readonly icon?: string;
  /** Set for a choice among others. */
  readonly checked?: boolean;
  readonly disabled?: boolean;
  readonly separated?: boolean;
  readonly pick: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly class?: string;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

const EDGE = 4;

export function Menu({ label, items, class: extra = '', disabled = false, children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const close = (refocus: boolean) => {
    setOpen(false);
    if (refocus) trigger.current?.focus();
  };
  return (
    <>
      <button
        ref={trigger}
        type="button"
        class={`menu-trigger ${extra}`}
        title={label}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        disabled={disabled}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children}
      </button>
      {open && <MenuList label={label} items={items} trigger={trigger} close={close} />}
    </>
  );
}

interface MenuListProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly trigger: { readonly current: HTMLButtonElement | null };
  readonly close: (refocus: boolean) => void;
}

function MenuList({ label, items, trigger, close }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (list.current === null || trigger.current === null) return;
    place(list.current, trigger.current.getBoundingClientRect());
    const first =
      list.current.querySelector<HTMLElement>('[aria-checked="true"]') ?? buttons(list.current)[0];
    first?.focus();
  }, []);

  useEffect(() => {
    const away = (event: Event) => {
      const inside = event.target instanceof Node && list.current?.contains(event.target) === true;
      const onTrigger = event.target instanceof Node && trigger.current?.contains(event.target) === true;
      if (!inside && !onTrigger) close(false);
    };
    const gone = () => close(false);
    document.addEventListener('pointerdown', away);
    window.addEventListener('resize', gone);
    window.addEventListener('blur', gone);
    return () => {
      document.removeEventListener('pointerdown', away);
      window.removeEventListener('resize', gone);
      window.removeEventListener('blur', gone);
    };
  }, []);

  const walk = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      event.stopPropagation();
      close(true);
      return;
    }
    const all = buttons(event.currentTarget);
    const at = all.findIndex((button) => button === document.activeElement);
    const next = target(event.key, at, all);
    if (next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  };

  return (
    <div ref={list} class="menu" role="menu" aria-label={label} onKeyDown={walk}>
      {items.map((item) => (
        <button
          key={item.key}
          type="button"
          class={`menu-item${item.separated === true ? ' separated' : ''}`}
          role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
          aria-checked={item.checked}
          aria-disabled={item.disabled === true}
          tabIndex={-1}
          onClick={() => {
            if (item.disabled === true) return;
            close(true);
            item.pick();
          }}
        >
          <Icon name={item.icon ?? (item.checked === true ? 'check' : 'blank')} />
          <span class="menu-words">
            <Worded text={item.label} class="menu-label" />
            {item.detail !== undefined && <Shown text={item.detail} class="menu-detail" />}
          </span>
        </button>
      ))}
    </div>
  );
}

function buttons(list: HTMLElement): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('.menu-item')];
}

function target(key: string, at: number, all: readonly HTMLElement[]): number | undefined {
  if (key === 'ArrowDown') return (at + 1) % all.length;
  if (key === 'ArrowUp') return (at - 1 + all.length) % all.length;
  if (key === 'Home') return 0;
  if (key === 'End') return all.length - 1;
  if (key.length !== 1 || key === ' ') return undefined;
  const letter = key.toLowerCase();
  const order = [...all.keys()].map((index) => (at + 1 + index) % all.length);
  return order.find((index) => all[index]?.textContent.trim().toLowerCase().startsWith(letter));
}

/** Beside its button, on the side with more room, inside the window. */
function place(list: HTMLElement, button: DOMRect): void {
  // Measured where nothing narrows it.
  list.style.left = '0';
  const below = window.innerHeight - button.bottom - 2 * EDGE;
  const above = button.top - 2 * EDGE;
  const up = below < list.offsetHeight && above > below;
  list.style.maxHeight = `${Math.max(0, up ? above : below)}px`;
  list.style.minWidth = `${Math.min(button.width, window.innerWidth - 2 * EDGE)}px`;
  const left = Math.min(button.left, window.innerWidth - list.offsetWidth - EDGE);
  list.style.left = `${Math.max(EDGE, left)}px`;
  list.style.top = up ? `${button.top - list.offsetHeight - EDGE}px` : `${button.bottom + EDGE}px`;
}
