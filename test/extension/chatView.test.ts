import { editor, stub } from './vscodeStub';
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebviewView, WebviewViewProvider } from 'vscode';
import { followContextKeys } from '../../extension/contextKeys';
import { needKey } from '../../protocol/needKey';
import { CONTEXT, VIEWS } from '../../extension/ids';
import { SnapshotStore } from '../../extension/state';
import { WrittenFiles } from '../../extension/writtenFiles';
import { ChatView, type ChatViewOptions } from '../../extension/views/chatView';
import type { FromPage, ToPage } from '../../webview/bridgeProtocol';
import { connected, type Connected } from './connected';
import { FakeClock } from './fakeClock';
import { asks } from './samples';

/** A webview as the editor makes it, with a page in it that only listens. */
class Page {
  readonly heard: ToPage[] = [];
  readonly webview: { readonly html: string };
  say: (message: FromPage) => void = () => undefined;
  private gone: () => void = () => undefined;
  private next: () => void = () => undefined;

  constructor() {
    const view = {
      visible: true,
      webview: {
        html: '',
        cspSource: '',
        asWebviewUri: (uri: unknown) => uri,
        onDidReceiveMessage: (listener: (message: FromPage) => void) => {
          this.say = listener;
          return { dispose: () => undefined };
        },
        postMessage: (message: ToPage) => {
          this.heard.push(message);
          this.next();
        },
      },
      onDidChangeVisibility: () => ({ dispose: () => undefined }),
      onDidDispose: (listener: () => void) => {
        this.gone = listener;
      },
    };
    this.webview = view.webview;
    const provider = editor.views.get(VIEWS.chat) as WebviewViewProvider;
    void provider.resolveWebviewView(view as unknown as WebviewView, undefined as never, undefined as never);
  }

  /** The page listens; resolves once it has been told its first state. */
  async ready(): Promise<void> {
    this.say({ type: 'ready', page: 'p' });
    await this.told(() => this.count('state') > 0);
  }

  close(): void {
    this.gone();
  }

  count(type: ToPage['type']): number {
    return this.heard.filter((message) => message.type === type).length;
  }

  told(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.next = () => {
        if (isSo()) resolve();
      };
      this.next();
    });
  }
}

/** A file in memory. */
class Kept {
  value: unknown;
  get(): Promise<unknown> {
    return Promise.resolve(this.value);
  }
  set(value: unknown): Promise<void> {
    this.value = value;
    return Promise.resolve();
  }
}

describe('the view of the chat', () => {
  let folder: string;
  let one: Connected;
  let chat: ChatView;
  const settings = { folders: () => [], defaultModel: () => 'big/x', defaultMode: () => 'ask' };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'belay-chat-'));
    one = connected();
    one.host.answer('model/list', () => ({ items: [] }));
    chat = new ChatView({
      host: one.client,
      settings: settings as unknown as ChatViewOptions['settings'],
      memory: new Kept() as unknown as ChatViewOptions['memory'],
      written: new WrittenFiles(folder),
      dist: '/dist' as unknown as ChatViewOptions['dist'],
      l10n: '/l10n',
      run: () => undefined,
    });
  });

  afterEach(async () => {
    chat.dispose();
    await one.close();
    await chat.kept();
    await rm(folder, { recursive: true, force: true });
  });

  for (const method of ['settings/update', 'model/offer'] as const) {
    it(`M1 has the page and the welcome read the models again once the host has taken ${method}`, async () => {
      const state = new SnapshotStore(one.client, () => undefined, new FakeClock());
      const following = followContextKeys({
        host: one.client,
        state,
        settings: settings as unknown as ChatViewOptions['settings'],
        did: () => undefined,
      });
      const page = new Page();
      await page.ready();
      await one.client.start();
      await one.host.next((frame) => frame.method === 'model/list');
      one.host.answer(method, () => ({ warnings: [] }));
      one.host.answer('model/list', () => ({ items: [{ id: 'big/x', provider: 'big', ready: true }] }));
      const before = page.count('state');
      await one.client.request(method, {});
      assert.equal(page.count('state'), before + 1);
      await one.client.request('model/list', {});
      const key = editor.ran.findLast(([id, name]) => id === 'setContext' && name === CONTEXT.models);
      assert.equal(key?.[2], 'ready');
      following.dispose();
      editor.ran = [];
    });
  }

  it('R6 keeps what it is told while no page is there for the page that comes', async () => {
    const first = new Page();
    await first.ready();
    first.close();
    chat.tell({ type: 'draft', text: 'kept' });
    const second = new Page();
    await second.ready();
    await second.told(() => second.count('draft') > 0);
    assert.equal(first.count('draft'), 0);
  });

  it('R6 keeps at once what the page tells of what is written, and tells it to the next page, once', async () => {
    const first = new Page();
    await first.ready();
    first.say({ type: 'written', part: 'texts', value: { at: 1, drafts: { new: { text: 'half' } } } });
    first.close();
    const second = new Page();
    await second.ready();
    const [state] = second.heard;
    assert.ok(state?.type === 'state');
    assert.deepEqual(state.written, {
      texts: { at: 1, drafts: { new: { text: 'half' } } },
      pictures: undefined,
    });
    chat.postState();
    const again = second.heard.at(-1);
    assert.ok(again?.type === 'state' && again.written === undefined);
  });

  it('R11 counts a request as seen once the page has said that it draws it, until that page goes', async () => {
    const page = new Page();
    await page.ready();
    assert.ok(!chat.hasDrawn(asks()));
    page.say({ type: 'drawn', needs: [needKey(asks())] });
    assert.ok(chat.hasDrawn(asks()));
    assert.ok(!chat.hasDrawn(asks({ request: 7 })), 'one that is announced again has to be drawn again');
    page.close();
    assert.ok(!chat.hasDrawn(asks()));
    await new Page().ready();
    assert.ok(!chat.hasDrawn(asks()));
  });

  it('is read aloud in the language of its texts', () => {
    stub.env.language = 'fr';
    assert.match(new Page().webview.html, /<html lang="en">/);
    stub.env.language = 'en';
  });
});
