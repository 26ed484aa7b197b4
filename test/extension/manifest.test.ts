import './vscodeStub';
import assert from 'node:assert/strict';
import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  COMMANDS,
  CONTEXT,
  SCHEMES,
  SETTINGS,
  STEPS,
  VIEWS,
  CONTAINER,
  WALKTHROUGH,
  by,
} from '../../extension/ids';
import { Settings } from '../../protocol';
import { BY } from '../../webview/bridgeProtocol';

const repository = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(repository, file), 'utf8');

interface Item {
  readonly command?: string;
  readonly id?: string;
  readonly view?: string;
  readonly when?: string;
  readonly enablement?: string;
  readonly mac?: string;
}
interface Manifest {
  readonly contributes: {
    readonly commands: readonly (Required<Pick<Item, 'command' | 'enablement'>> & {
      readonly icon?: string;
    })[];
    readonly views: Readonly<Record<string, readonly Required<Pick<Item, 'id'>>[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly id: string }[] };
    readonly viewsWelcome: readonly Required<Pick<Item, 'view' | 'when'>>[];
    readonly menus: Readonly<Record<string, readonly Item[]>>;
    readonly keybindings: readonly Item[];
    readonly configurationDefaults: {
      readonly 'terminal.integrated.commandsToSkipShell': readonly string[];
    };
    readonly configuration: {
      readonly properties: Readonly<
        Record<string, { readonly scope: string; readonly markdownDescription: string }>
      >;
    };
    readonly walkthroughs: readonly {
      readonly id: string;
      readonly steps: readonly {
        readonly id: string;
        readonly media: { readonly markdown: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
  };
  readonly activationEvents: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
}

const { contributes, capabilities, activationEvents } = JSON.parse(read('package.json')) as Manifest;
const sorted = (items: Iterable<string>): string[] => [...items].sort();

describe('the manifest and the code', () => {
  it('know the same commands', () => {
    assert.deepEqual(sorted(contributes.commands.map((one) => one.command)), sorted(Object.values(COMMANDS)));
    const used = [...Object.values(contributes.menus).flat(), ...contributes.keybindings];
    for (const { command } of used)
      assert.ok(Object.values<string | undefined>(COMMANDS).includes(command), command);
  });

  it('know the same files of their own: a diff that was left open is read after a reload', () => {
    assert.ok(activationEvents.includes(`onFileSystem:${SCHEMES.change}`));
  });

  it('know the same views, container and walkthrough', () => {
    assert.deepEqual(
      sorted((contributes.views[CONTAINER] ?? []).map((one) => one.id)),
      sorted(Object.values(VIEWS)),
    );
    assert.deepEqual(
      contributes.viewsContainers.activitybar.map((one) => one.id),
      [CONTAINER],
    );
    assert.deepEqual(
      contributes.walkthroughs.map((one) => one.id),
      [WALKTHROUGH],
    );
    for (const { view } of contributes.viewsWelcome)
      assert.ok(Object.values<string>(VIEWS).includes(view), view);
  });

  it('know the same settings, all of them read from the user only', () => {
    const declared = Object.keys(contributes.configuration.properties);
    assert.deepEqual(sorted(declared), sorted(SETTINGS.map((key) => `belay.${key}`)));
    for (const key of declared)
      assert.equal(contributes.configuration.properties[key]?.scope, 'machine', key);
    assert.deepEqual(sorted(capabilities.untrustedWorkspaces.restrictedConfigurations), sorted(declared));
  });

  it('declare every setting that the host takes', () => {
    const leaves: string[] = [];
    for (const [group, schema] of Object.entries(Settings.shape)) {
      // The editor's own.
      if (group === 'http') continue;
      const inner = schema.unwrap();
      // What is named by the person stands in one setting: providers, servers, agents.
      const isOne = SETTINGS.some((key) => key === group);
      if ('shape' in inner && !isOne)
        leaves.push(...Object.keys(inner.shape).map((key) => `${group}.${key}`));
      else leaves.push(group);
    }
    assert.deepEqual(sorted(leaves), sorted(SETTINGS));
  });

  it('use no context key in a when clause that nobody sets', () => {
    const clauses = [
      ...contributes.commands.map((one) => one.enablement),
      ...Object.values(contributes.menus)
        .flat()
        .map((one) => one.when),
      ...contributes.keybindings.map((one) => one.when),
      ...contributes.viewsWelcome.map((one) => one.when),
    ];
    const known: readonly string[] = [...Object.values(CONTEXT), ...Object.values(VIEWS), SCHEMES.diff];
    for (const clause of clauses)
      for (const [key] of (clause ?? '').matchAll(/\bbelay[.-]\w+/g))
        assert.ok(known.includes(key), `${key} in ${clause}`);
  });

  it('R6 offer what works on stored things also while the host does not run, which they start', () => {
    const stored = /belay\.(sessions|cutOff|handles|serverCount) > 0/;
    const clauses = [
      ...contributes.commands.map(({ command, enablement }) => ({ command, clause: enablement })),
      ...(contributes.menus['commandPalette'] ?? []).map(({ command, when }) => ({ command, clause: when })),
    ].filter(({ clause }) => stored.test(clause ?? ''));
    assert.ok(clauses.some(({ command }) => command === COMMANDS.steer));
    for (const { command, clause } of clauses)
      assert.match(clause ?? '', /belay\.host != ready \|\| belay\./, command);
  });

  it('show Stop by one shape everywhere, and no other act by it', () => {
    const stops = contributes.commands.filter(({ icon }) => icon === '$(stop-circle)');
    assert.deepEqual(
      sorted(stops.map(({ command }) => command)),
      sorted([COMMANDS.stopTurn, COMMANDS.sessionStop, COMMANDS.handleStop, COMMANDS.serverStop]),
    );
    assert.match(read('webview/components/sendButtons.tsx'), /<Icon name="stop-circle" \/>/);
  });

  it('P1 reach the keys that work anywhere also in a terminal, and take none of VS Code’s own on a Mac', () => {
    const anywhere = contributes.keybindings.filter(({ when }) => !(when ?? '').includes('focusedView'));
    assert.deepEqual(
      sorted(contributes.configurationDefaults['terminal.integrated.commandsToSkipShell']),
      sorted(anywhere.map(({ command }) => command ?? '')),
    );
    // Preserve case, in the search of an editor.
    assert.ok(anywhere.every(({ mac }) => mac !== 'cmd+alt+p'));
  });

  it('has a text for every key and a key for every text', () => {
    const manifest = read('package.json');
    const texts = Object.keys(JSON.parse(read('package.nls.json')) as object);
    const keys = new Set([...manifest.matchAll(/"%([^%"]+)%"/g)].map((match) => match[1] ?? ''));
    assert.deepEqual(sorted(keys), sorted(texts));
  });

  it('names only pictures and pages that exist', () => {
    for (const walkthrough of contributes.walkthroughs)
      for (const { media } of walkthrough.steps)
        assert.ok(existsSync(join(repository, media.markdown)), media.markdown);
  });

  it('ends each step of the walkthrough by something that the person does', () => {
    const known: readonly string[] = [
      ...Object.values(COMMANDS).map((id) => `onCommand:${id}`),
      ...Object.values(VIEWS).map((id) => `onView:${id}`),
      ...SETTINGS.map((key) => `onSettingChanged:belay.${key}`),
    ];
    const deeds = Object.keys(STEPS);
    const steps = contributes.walkthroughs.flatMap((one) => one.steps);
    for (const { id, completionEvents } of steps) {
      assert.ok(completionEvents.length > 0);
      if (deeds.includes(id)) assert.deepEqual(completionEvents, [`onContext:${CONTEXT.did}.${id}`]);
      else for (const event of completionEvents) assert.ok(known.includes(event), event);
    }
    for (const deed of deeds)
      assert.ok(
        steps.some(({ id }) => id === deed),
        deed,
      );
  });

  it('describes every setting in whole sentences', () => {
    const texts = JSON.parse(read('package.nls.json')) as Record<string, string>;
    for (const [key, { markdownDescription }] of Object.entries(contributes.configuration.properties)) {
      const text = texts[markdownDescription.replaceAll('%', '')] ?? '';
      assert.match(text, /^[A-Z][^]{20,}(\.|`)$/, key);
    }
  });

  it('says who acted in the same words as the chat', () => {
    assert.deepEqual(by, BY);
  });
});
