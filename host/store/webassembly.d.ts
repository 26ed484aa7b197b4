/** The part of WebAssembly that the store uses: the library that declares it whole, the DOM's, is not for the host. */
declare namespace WebAssembly {
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(module: Module, imports: unknown): Promise<Instance>;
}
