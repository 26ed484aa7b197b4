/** What is kept of a server between hosts: a person's consent, and its tools as it told them last. */
import type { ServerRecord } from '../../engine/records';
import type { ServersNeed } from './room';

export class Remembered {
  private kept: ServerRecord;

  constructor(
    private readonly key: string,
    private readonly need: Pick<ServersNeed, 'recall' | 'remember'>,
  ) {
    this.kept = need.recall(key);
  }

  get record(): ServerRecord {
    return this.kept;
  }

  /** It counts at once; the promise is for the disk. */
  change(part: Partial<ServerRecord>): Promise<void> {
    this.kept = { ...this.kept, ...part };
    return this.need.remember(this.key, this.kept);
  }
}
