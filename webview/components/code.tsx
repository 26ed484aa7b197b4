import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { command } from '../bridge';
import { later } from '../state/clock';
import { t } from '../strings';
import { highlight, type CodeNode } from '../text/highlight';
import { IconButton } from './icon';
import { pieces } from './shown';

interface CodeBlockProps {
  readonly code: string;
  readonly language: string;
  /** Still being written: coloured when it is whole, if it is long. */
  readonly growing: boolean;
}

const GROWING_MOST = 4096;
const COPIED_MS = 1500;

export function CodeBlock({ code, language, growing }: CodeBlockProps) {
  const plain = growing && code.length > GROWING_MOST;
  return (
    <div class="code-block" dir="ltr">
      <div class="code-tools">
        <span class="code-language">{language}</span>
        <CopyButton text={code} />
        <IconButton
          icon="insert"
          label={t('call.insert')}
          onClick={() => command({ command: 'insertText', args: { text: code } })}
        />
        <IconButton
          icon="go-to-file"
          label={t('call.openCode')}
          onClick={() =>
            command({
              command: 'openText',
              args: { text: code, ...(language === '' ? {} : { language }) },
            })
          }
        />
      </div>
      <pre class="code" tabIndex={0}>
        <code>{plain ? pieces(code, 'code') : spans(highlight(code, language))}</code>
      </pre>
    </div>
  );
}

interface CopyButtonProps {
  readonly text: string;
  /** What it copies, where that is not what it stands beside. */
  readonly label?: string;
}

export function CopyButton({ text, label = t('call.copy') }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    later(COPIED_MS, () => setCopied(false));
  };
  return (
    <IconButton
      icon={copied ? 'check' : 'copy'}
      label={copied ? t('call.copied') : label}
      onClick={() => void copy()}
    />
  );
}

export function spans(nodes: readonly CodeNode[]): ComponentChildren {
  return nodes.map((node, index) =>
    typeof node === 'string' ? (
      pieces(node, 'code')
    ) : (
      <span key={index} class={node.scope}>
        {spans(node.children)}
      </span>
    ),
  );
}
