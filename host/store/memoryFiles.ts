import type { FileOps, FileState } from './files';

interface MemoryFile {
  readonly inode: bigint;
  bytes: Uint8Array;
  size: number;
  links: number;
}

/** Files that exist only in this object: for the engine's own check, which must not depend on a disk. */
export class MemoryFileOps implements FileOps {
  syncs = 0;
  private readonly names = new Map<string, MemoryFile>();
  private readonly handles = new Map<number, MemoryFile>();
  private next = 1;

  open(path: string, mode: 'read' | 'write' | 'create'): number {
    let file = this.names.get(path);
    if (file === undefined) {
      if (mode !== 'create') throw missing(path);
      file = { inode: BigInt(this.next), bytes: new Uint8Array(0), size: 0, links: 1 };
      this.names.set(path, file);
    }
    const fd = this.next;
    this.next += 1;
    this.handles.set(fd, file);
    return fd;
  }

  close(fd: number): void {
    this.handles.delete(fd);
  }

  read(fd: number, into: Uint8Array, position: number): number {
    const file = this.at(fd);
    const part = file.bytes.subarray(position, Math.min(file.size, position + into.byteLength));
    into.set(part);
    return part.byteLength;
  }

  write(fd: number, bytes: Uint8Array, position: number): number {
    const file = this.at(fd);
    this.resize(file, Math.max(file.size, position + bytes.byteLength));
    file.bytes.set(bytes, position);
    return bytes.byteLength;
  }

  truncate(fd: number, size: number): void {
    const file = this.at(fd);
    if (size < file.size) file.bytes.fill(0, size, file.size);
    this.resize(file, size);
  }

  sync(): void {
    this.syncs += 1;
  }

  syncSoon(): Promise<void> {
    this.syncs += 1;
    return Promise.resolve();
  }

  syncFolder(): void {}

  makeFolder(): void {}

  stateOf(fd: number): FileState {
    return stateOf(this.at(fd));
  }

  state(path: string): FileState | undefined {
    const file = this.names.get(path);
    return file === undefined ? undefined : stateOf(file);
  }

  isNamed(fd: number, path: string): boolean {
    return this.names.get(path) === this.at(fd);
  }

  unlink(path: string): void {
    const file = this.names.get(path);
    if (file === undefined) throw missing(path);
    this.names.delete(path);
    file.links -= 1;
  }

  rename(from: string, to: string): void {
    const file = this.names.get(from);
    if (file === undefined) throw missing(from);
    this.names.delete(from);
    this.names.set(to, file);
  }

  private resize(file: MemoryFile, size: number): void {
    if (size > file.bytes.byteLength) {
      const grown = new Uint8Array(Math.max(size, file.bytes.byteLength * 2));
      grown.set(file.bytes);
      file.bytes = grown;
    }
    file.size = size;
  }

  private at(fd: number): MemoryFile {
    const file = this.handles.get(fd);
    if (file === undefined) throw Object.assign(new Error('This file is not open.'), { code: 'EBADF' });
    return file;
  }
}

function stateOf(file: MemoryFile): FileState {
  return { size: file.size, inode: file.inode, device: 1n, links: file.links, changed: 0n };
}

function missing(path: string): Error {
  return Object.assign(new Error(`There is no ${path}.`), { code: 'ENOENT' });
}
