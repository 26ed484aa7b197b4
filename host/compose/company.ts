/**
 * The windows that work through one host: its own, and those that have joined it (D4).
 *
 * Owns: what each says of itself. 1. Trust holds as long as every one has it (A11). 2. What the agent may reach are
 * the folders of all that are here. 3. Settings are the own window's alone, so they are not here.
 */
export interface Folder {
  readonly path: string;
  readonly name: string;
}

export interface Member {
  trusted: boolean;
  folders: readonly Folder[];
  /** Files with changes that its editor has not saved, absolute. */
  unsaved?: readonly string[];
}

export interface Change {
  readonly trusted?: boolean | undefined;
  readonly folders?: readonly Folder[] | undefined;
  readonly unsaved?: readonly string[] | undefined;
}

export interface Company {
  readonly own: Member;
  /** Lets a window in; what it gives lets it go again. */
  add(member: Member): () => void;
  change(member: Member, change: Change): void;
  trusted(): boolean;
  /** Paths, each once. */
  folders(): readonly string[];
  /** Paths, each once. */
  unsaved(): readonly string[];
}

export function createCompany(own: Member): Company {
  const members = new Set([own]);
  return {
    own,
    add: (member) => {
      members.add(member);
      return () => void members.delete(member);
    },
    change: (member, { trusted, folders, unsaved }) => {
      if (trusted !== undefined) member.trusted = trusted;
      if (folders !== undefined) member.folders = folders;
      if (unsaved !== undefined) member.unsaved = unsaved;
    },
    trusted: () => [...members].every((member) => member.trusted),
    folders: () => [
      ...new Set([...members].flatMap((member) => member.folders.map((folder) => folder.path))),
    ],
    unsaved: () => [...new Set([...members].flatMap((member) => member.unsaved ?? []))],
  };
}
