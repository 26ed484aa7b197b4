import { openBelay, wants, giveWork, type BelayWindow } from './window';
describe('explore', () => {
  it('x', async () => {
    let w: BelayWindow | undefined;
    try {
      w = await openBelay();
      const wb = w.workbench;
      wb.page.on('console', (m) => { if (/belay|CSP|error/i.test(m.text())) console.log('PAGE', m.type(), m.text().slice(0, 300)); });
      await wb.screenshot('x0');
      w.models.script([wants('touch made.txt && cat a.txt'), { text: 'It is done.' }]);
      await wb.container('Belay');
      await wb.screenshot('x1');
      await giveWork(wb, 'please cat');
      await wb.view('Needs you').row('touch made.txt').waitFor();
      await wb.screenshot('x2');
      await new Promise((r) => setTimeout(r, 1500));
      await wb.screenshot('x3');
      await wb.view('Needs you').row('touch made.txt').action('Allow');
      await new Promise((r) => setTimeout(r, 2500));
      await wb.screenshot('x4');
    } catch (e) { await w?.workbench.screenshot('xfail'); throw e; } finally { await w?.close(); }
  });
});
