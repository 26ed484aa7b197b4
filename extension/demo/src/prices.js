/** What one piece costs, in cents. */
const prices = new Map([
  ['apple', 45],
  ['bread', 325],
  ['candle', 199],
  ['egg', 33],
]);

function priceOf(name) {
  const price = prices.get(name);
  if (price === undefined) throw new Error(`No price for ${name}`);
  return price;
}

module.exports = { priceOf };
