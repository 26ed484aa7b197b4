/** `codex exec` never asks: what Belay's modes allow becomes the sandbox that codex keeps its commands in. */
import type { Mode } from '../../../../protocol';

/** `ask`: it only reads. `edits`: it writes inside the workspace, without a network. `full`: nothing holds it. */
export function sandboxOf(mode: Mode): 'read-only' | 'workspace-write' | 'danger-full-access' {
  switch (mode) {
    case 'ask':
      return 'read-only';
    case 'edits':
      return 'workspace-write';
    case 'full':
      return 'danger-full-access';
  }
}
