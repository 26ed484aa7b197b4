/**
 * Names of hosts as the browser itself writes them. It stands in the page's bundle in the place of the package
 * `punycode.js`. A name is shown as it is asked for: a letter that only looks like another one is told by that.
 */
const hosts = {
  toASCII(name: string): string {
    try {
      return new URL(`http://${name}`).hostname;
    } catch {
      return name;
    }
  },
  toUnicode: (name: string): string => name,
};
export { hosts as default };
