/** Scripts that lie beside the page's own and are read later, by the page's own right to run scripts. */
const own = document.currentScript;

/** `loaded` is called when it has run; never when it cannot be read. */
export function loadBeside(name: string, loaded: () => void): void {
  if (!(own instanceof HTMLScriptElement)) return;
  const script = document.createElement('script');
  script.nonce = own.nonce;
  script.src = new URL(name, own.src).href;
  script.onload = loaded;
  document.head.append(script);
}
