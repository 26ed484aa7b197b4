const { cartTotal, lineTotal } = require('./cart.js');

function money(cents) {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** The receipt as text, one line of the cart per row and the total below. */
function receipt(lines) {
  const rows = lines.map((line) => `${line.pieces} x ${line.name}  ${money(lineTotal(line))}`);
  return [...rows, `Total  ${money(cartTotal(lines))}`].join('\n');
}

module.exports = { money, receipt };
