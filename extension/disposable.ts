/** Something with an end. VS Code's own class is not asked for, so that anything of this shape will do. */
export interface Disposable {
  dispose(): unknown;
}
