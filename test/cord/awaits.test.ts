/**
 * P8: the cord is pulled at every `await` on the way to an effect. The places come from the code (instrument.ts);
 * which of them a scene passes is seen by letting it run once, and each passing is then held while the cord is pulled.
 *
 * A run holds each place of the code once, in the first scene that passes it, and of a cold scene the last few; with BELAY_BARRIERS=all it holds every
 * passing of every scene, which takes some minutes.
 */
import assert from 'node:assert/strict';
import { buildInstrumentedHost } from './instrument';
import type { Passing } from './barriers';
import { Theatre } from './theatre';
import { scenes, type Scene, type Stage } from './scenes';

/** Places of a cold scene that a run holds: each needs a host of its own. The last ones are the nearest to the effect. */
const COLD_PLACES = 4;

describe('the cord at every await before an effect', function () {
  this.timeout(180_000);
  const everyPassing = process.env['BELAY_BARRIERS'] === 'all';
  /** Places that an earlier scene has been held at. */
  const done = new Set<string>();
  let bundle: string;

  before(async () => {
    ({ bundle } = await buildInstrumentedHost());
  });

  for (const scene of scenes)
    it(`P8 P1 P2 P3 ${scene.name} never starts behind the pull, wherever it was held`, async () => {
      let theatre = await Theatre.open(bundle, scene);
      try {
        const passed = await passings(theatre, scene);
        assert.ok(passed.length > 0, 'there is an await before the effect');
        const fresh = passed.filter((place) => everyPassing || !done.has(place.id));
        const places = scene.cold === true && !everyPassing ? fresh.slice(-COLD_PLACES) : fresh;
        let held = 0;
        for (const place of places) {
          if (scene.cold === true) {
            await theatre.close();
            theatre = await Theatre.open(bundle, scene);
          }
          if (!(await isHeldAt(theatre, scene, place))) continue;
          held += 1;
          done.add(place.id);
        }
        // What a system does in pieces (a stream, a look at the process table) may come in fewer another time.
        assert.ok(
          held >= places.length * 0.9,
          `${String(held)} of ${String(places.length)} passings came again`,
        );
      } finally {
        await theatre.close();
      }
    });
});

/** Lets the scene run, and gives every passing before its last effect. */
async function passings(theatre: Theatre, scene: Scene): Promise<readonly Passing[]> {
  // Once unseen: what a host does a single time, and what then lives on, is no part of the next run. A cold scene
  // is about just that.
  if (scene.cold === undefined) await play(theatre, scene);
  await play(theatre, scene);
  await theatre.barriers.settled();
  const { passed, effects } = await theatre.barriers.report();
  return passed.filter((place) => place.before < effects.length);
}

async function play(theatre: Theatre, scene: Scene): Promise<void> {
  const stage = await theatre.stage(scene);
  await theatre.barriers.arm();
  await scene.act(stage);
  await theatre.over(stage);
}

/** Holds one passing, pulls, lets go, and looks that nothing began; false when the scene did not come by. */
async function isHeldAt(theatre: Theatre, scene: Scene, place: Passing): Promise<boolean> {
  const { host, barriers } = theatre;
  const where = `held at ${place.id} (${String(place.n)})`;
  const stage = await theatre.stage(scene);
  const { held } = await barriers.arm(place);
  const act = scene.act(stage);
  const over = act.then(() => theatre.over(stage)).then(() => 'over' as const);
  if ((await Promise.race([held, over])) === 'over') return false;

  await host.request('host/pause', { by: 'test' });
  try {
    const atReply = await look(theatre, scene, stage);
    barriers.release();
    await barriers.settled();
    const later = await look(theatre, scene, stage);
    assert.deepEqual(later, atReply, `something began behind the pull: ${where}`);
  } finally {
    await host.request('host/resume', { by: 'test' });
  }
  await over;
  await barriers.settled();
  await assertTold(theatre, scene, stage, where);
  return true;
}

async function look({ barriers }: Theatre, scene: Scene, stage: Stage) {
  const { effects } = await barriers.report();
  return { effects, outside: scene.happened(stage) };
}

/** What is on record after all is what has happened outside: nothing ran unseen, twice, or in name only. */
async function assertTold({ host }: Theatre, scene: Scene, stage: Stage, where: string): Promise<void> {
  const { items } = await host.request('audit/list', { session: stage.session });
  const entry = items.find((one) => one.call === (scene.effect ?? 'c1'));
  const happened = scene.happened(stage);
  if (scene.calls === undefined || scene.asks === true) {
    assert.ok(happened >= 1, `the model was asked after the release: ${where}`);
    return;
  }
  // A step that its script has not come to make is on no record.
  if (entry === undefined && scene.effect?.includes('.') === true) {
    assert.equal(happened, 0, `it has happened unseen: ${where}`);
    return;
  }
  assert.ok(entry?.endedAt !== undefined, `the call has an end: ${where}`);
  if (!entry.ran) assert.equal(happened, 0, `it did what it is said not to have done: ${where}`);
  else if (entry.outcome === 'completed' || entry.outcome === 'exited')
    assert.equal(happened, scene.visible === false ? 0 : 1, `it is said to have run: ${where}`);
}
