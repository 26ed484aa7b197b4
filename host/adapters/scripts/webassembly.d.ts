/** The part of WebAssembly that scripts use beside the store's: the library that declares it whole is not for the host. */
declare namespace WebAssembly {
  const Module: new (bytes: Uint8Array) => Module;
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  const Memory: new (size: { readonly initial: number; readonly maximum: number }) => Memory;
}
