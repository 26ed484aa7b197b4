/** Draws the tree of `text/markdown.ts` as elements of a closed list. */
import { Component, type ComponentChildren, type TargetedMouseEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { command } from '../bridge';
import { revealed } from '../../protocol/reveal';
import * as app from '../state/app';
import {
  fileTarget,
  GrowingMarkdown,
  linkKind,
  parseMarkdown,
  type MarkdownBlock,
  type MarkdownNode,
} from '../text/markdown';
import { CodeBlock } from './code';
import { pieces } from './shown';

export function Markdown({ text, streaming }: { readonly text: string; readonly streaming: boolean }) {
  const growing = useRef<GrowingMarkdown | undefined>(undefined);
  if (streaming) growing.current ??= new GrowingMarkdown();
  const blocks = (streaming ? growing.current : undefined)?.parse(text) ?? parseMarkdown(text);
  return (
    <div class={streaming ? 'markdown streaming' : 'markdown'}>
      {blocks.map((block, index) => (
        <Block key={index} block={block} growing={streaming && index === blocks.length - 1} />
      ))}
    </div>
  );
}

interface BlockProps {
  readonly block: MarkdownBlock;
  readonly growing: boolean;
}

/** While text streams only its last block is drawn again. */
class Block extends Component<BlockProps> {
  override shouldComponentUpdate(next: BlockProps): boolean {
    return next.block.source !== this.props.block.source || next.growing !== this.props.growing;
  }

  override render({ block, growing }: BlockProps) {
    return <>{draw(block.node, 0, growing)}</>;
  }
}

function all(nodes: readonly MarkdownNode[], growing: boolean): ComponentChildren {
  return nodes.map((node, index) => draw(node, index, growing));
}

function draw({ token, children }: MarkdownNode, key: number, growing: boolean): ComponentChildren {
  const inner = () => all(children, growing);
  switch (token.type) {
    case 'inline':
      return inner();
    case 'text':
    case 'html_inline':
    case 'html_block':
      return pieces(token.content, 'prose');
    case 'paragraph_open':
      // In a tight list the paragraph is not to be seen.
      return token.hidden ? inner() : <p key={key}>{inner()}</p>;
    case 'heading_open':
      return (
        <div
          key={key}
          class={`heading ${token.tag}`}
          role="heading"
          aria-level={Math.min(6, Number(token.tag.slice(1)) + 2)}
        >
          {inner()}
        </div>
      );
    case 'bullet_list_open':
      return (
        <ul key={key} dir="auto">
          {inner()}
        </ul>
      );
    case 'ordered_list_open':
      return (
        <ol key={key} dir="auto" start={Number(token.attrGet('start') ?? 1)}>
          {inner()}
        </ol>
      );
    case 'list_item_open':
      return <li key={key}>{inner()}</li>;
    case 'blockquote_open':
      return (
        <blockquote key={key} dir="auto">
          {inner()}
        </blockquote>
      );
    case 'fence':
    case 'code_block':
      return (
        <CodeBlock
          key={key}
          code={token.content.replace(/\n$/, '')}
          language={token.info.trim().split(/\s/)[0] ?? ''}
          growing={growing}
        />
      );
    case 'code_inline':
      return (
        <code key={key} dir="ltr">
          {pieces(token.content, 'code')}
        </code>
      );
    case 'em_open':
      return <em key={key}>{inner()}</em>;
    case 'strong_open':
      return <strong key={key}>{inner()}</strong>;
    case 's_open':
      return <s key={key}>{inner()}</s>;
    case 'link_open':
      return (
        <Link key={key} target={String(token.attrGet('href') ?? '')}>
          {inner()}
        </Link>
      );
    case 'image':
      return (
        <Link key={key} target={String(token.attrGet('src') ?? '')}>
          {pieces(token.content || String(token.attrGet('src') ?? ''), 'prose')}
        </Link>
      );
    case 'hr':
      return <hr key={key} />;
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return <br key={key} />;
    case 'table_open':
      return (
        <div key={key} class="table-frame" tabIndex={0}>
          <table dir="auto">{inner()}</table>
        </div>
      );
    case 'thead_open':
      return <thead key={key}>{inner()}</thead>;
    case 'tbody_open':
      return <tbody key={key}>{inner()}</tbody>;
    case 'tr_open':
      return <tr key={key}>{inner()}</tr>;
    case 'th_open':
      return <th key={key}>{inner()}</th>;
    case 'td_open':
      return <td key={key}>{inner()}</td>;
    default:
      return inner();
  }
}

/**
 * Opened by the editor, never by the page: the click stops here, before the editor's own listener for links
 * would open it a second time. A picture from elsewhere is a link too, since loading it would tell somebody.
 */
function Link({ target, children }: { readonly target: string; readonly children?: ComponentChildren }) {
  const kind = linkKind(target);
  if (kind === 'none') return <>{children}</>;
  const open = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    event.preventDefault();
    event.stopPropagation();
    if (kind === 'web') command({ command: 'openLink', args: { url: target } });
    else openFile(target);
  };
  return (
    <a
      href={kind === 'web' ? target : '#'}
      title={revealed(kind === 'web' ? target : fullPath(fileTarget(target).path))}
      onClick={open}
      onAuxClick={open}
    >
      {children}
    </a>
  );
}

/** Where a path leads: into the session's folder, unless it begins at a root. */
function fullPath(path: string): string {
  const folder = app.session.peek()?.folder;
  return folder === undefined || /^(?:[\\/]|[a-z]:)/i.test(path) ? path : `${folder}/${path}`;
}

/** A file as it is named in what an agent wrote, of the session's folder. */
export function openFile(target: string): void {
  const folder = app.session.peek()?.folder;
  command({
    command: 'openFile',
    args: { ...fileTarget(target), ...(folder === undefined ? {} : { folder }) },
  });
}
