/** What one turn may use. Pure. */
import { say, type Usage } from '../../../protocol';

export interface Budget {
  /** Tokens, read and written, those of the provider's cache too. */
  readonly tokensPerTurn: number | undefined;
  /** US dollars; without a price of the model nothing counts. */
  readonly costUsdPerTurn: number | undefined;
}

/** Why a turn that has used this asks its model no more; undefined while it may. */
export function spent({ tokensPerTurn, costUsdPerTurn }: Budget, usage: Usage): string | undefined {
  const tokens = usage.inputTokens + usage.outputTokens;
  if (tokensPerTurn !== undefined && tokens >= tokensPerTurn)
    return say('It has used {tokens} tokens; "belay.limits.tokensPerTurn" gives {most} to one turn.', {
      tokens,
      most: tokensPerTurn,
    });
  if (costUsdPerTurn !== undefined && (usage.costUsd ?? 0) >= costUsdPerTurn)
    return say('It has cost {cost} US dollars; "belay.limits.costUsdPerTurn" gives {most} to one turn.', {
      cost: (usage.costUsd ?? 0).toFixed(4),
      most: costUsdPerTurn,
    });
  return undefined;
}
