/**
 * P8: the cord is pulled at every `await` on the way to an effect. The places come from the code (instrument.ts);
 * which of them a scene passes is seen by letting it run once, and each passing is then held while the cord is pulled.
 *
 * Whether something began is looked at once nothing that began with the scene is awaited any more. Where a server
 * stays up, some places are awaited for as long as it lives: they are what is still awaited when the scene has run
 * unheld, and a pause has come and gone.
 *
 * A run holds each place of the code once, in the first scene that passes it, and of a scene the last ones, which are
 * the nearest to its effect; it leaves out the cold scenes, in which each place needs a host of its own. With
 * `BELAY_FULL=1` it holds every passing of every scene, which takes some minutes.
 */
import assert from 'node:assert/strict';
import { buildInstrumentedHost } from './instrument';
import type { Passing } from './barriers';
import { Theatre } from './theatre';
import type { Scene, Stage } from './scene';
import { scenes } from './scenes';

/** Places of a scene that a run holds at most. */
const PLACES = 8;
/** Places that all scenes together must have held: fewer, and a scene has lost its way to the effect. */
const LEAST_PLACES = 90;

describe('the cord at every await before an effect', function () {
  this.timeout(180_000);
  const everyPassing = process.env['BELAY_FULL'] === '1';
  /** Places that an earlier scene has been held at. */
  const done = new Set<string>();
  let bundle: string;
  let inCode: number;

  before(async () => {
    const built = await buildInstrumentedHost();
    bundle = built.bundle;
    inCode = built.places.length;
  });

  for (const scene of scenes.filter(({ cold }) => everyPassing || cold !== true))
    it(`P8 P1 P2 P3 ${scene.name} never starts behind the pull, wherever it was held`, async () => {
      let theatre = await Theatre.open(bundle, scene);
      try {
        const { passed, living } = await unheld(theatre, scene);
        assert.ok(passed.length > 0, 'there is an await before the effect');
        const fresh = passed.filter((place) => everyPassing || !done.has(place.id));
        const nearest = fresh.slice(-PLACES);
        const isHeld = (place: Passing) => nearest.includes(place) || isAlways(scene, place);
        const places = everyPassing ? fresh : passed.filter(isHeld);
        let held = 0;
        for (const place of places) {
          if (scene.cold === true) {
            await theatre.close();
            theatre = await Theatre.open(bundle, scene);
          }
          if (!(await isHeldAt(theatre, scene, place, living))) continue;
          held += 1;
          done.add(place.id);
        }
        // What a system does in pieces (a stream, a look at the process table) may come in fewer another time.
        assert.ok(
          held >= Math.floor(places.length * 0.9),
          `${String(held)} of ${String(places.length)} passings came again`,
        );
      } finally {
        await theatre.close();
      }
    });

  it('P8 so many places were held', () => {
    assert.ok(done.size >= LEAST_PLACES, `${String(done.size)} of ${String(inCode)} places of the code`);
  });
});

const isAlways = ({ always }: Scene, { id }: Passing): boolean => always !== undefined && id.includes(always);

/** Lets the scene run: every passing before its last effect, and the places of what lives on when all is quiet. */
async function unheld(
  theatre: Theatre,
  scene: Scene,
): Promise<{ readonly passed: readonly Passing[]; readonly living: readonly string[] }> {
  const { host, barriers } = theatre;
  // Once unseen: what a host does a single time, and what then lives on, is no part of the next run. A cold scene
  // is about just that.
  if (scene.cold === undefined) await play(theatre, scene);
  await play(theatre, scene);
  if (scene.lives !== true) await barriers.settled([]);
  const { passed, effects } = await barriers.report();
  const { mark } = host;
  await host.request('host/pause', { by: 'test' });
  await host.next('host_quiet', mark);
  await host.request('host/resume', { by: 'test' });
  const { open } = await barriers.report();
  return { passed: passed.filter(({ before, over }) => over && before < effects.length), living: open };
}

async function play(theatre: Theatre, scene: Scene): Promise<void> {
  const stage = await theatre.stage(scene);
  await theatre.barriers.arm();
  await scene.act(stage);
  await theatre.over(scene, stage);
}

/** Holds one passing, pulls, lets go, and looks that nothing began; false when the scene did not come by. */
async function isHeldAt(
  theatre: Theatre,
  scene: Scene,
  place: Passing,
  living: readonly string[],
): Promise<boolean> {
  const { host, barriers } = theatre;
  const where = `held at ${place.id} (${String(place.n)})`;
  const stage = await theatre.stage(scene);
  const { held } = await barriers.arm(place);
  const act = scene.act(stage);
  const over = act.then(() => theatre.over(scene, stage)).then(() => 'over' as const);
  if ((await Promise.race([held, over])) === 'over') return false;

  theatre.keepAgents();
  await host.request('host/pause', { by: 'test' });
  try {
    const atReply = await look(theatre, scene, stage);
    barriers.release();
    theatre.letGoAgents();
    await barriers.settled(living);
    const later = await look(theatre, scene, stage);
    assert.deepEqual(later, atReply, `something began behind the pull: ${where}`);
  } finally {
    await host.request('host/resume', { by: 'test' });
  }
  await over;
  if (scene.lives !== true) await barriers.settled([]);
  await assertTold(theatre, scene, stage, where);
  return true;
}

async function look({ barriers }: Theatre, scene: Scene, stage: Stage) {
  const { effects } = await barriers.report();
  // What has left may be still on its way to where it is seen.
  const left = effects.filter((id) => scene.leaves !== undefined && id.includes(scene.leaves)).length;
  return { effects, outside: Math.max(left, scene.happened(stage)) };
}

/** What is on record after all is what has happened outside: nothing ran unseen, twice, or in name only. */
async function assertTold({ host }: Theatre, scene: Scene, stage: Stage, where: string): Promise<void> {
  if (scene.told !== undefined) return scene.told(stage, where);
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
