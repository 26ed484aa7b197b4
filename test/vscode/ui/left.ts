/**
 * The window that a file has left for the next one. It is left only when all went well in it, and nothing waits, runs or
 * is paused there; whoever goes on in it finds its editors closed, its first file as it was, and a model without a script.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SIZE } from '../page';
import type { BelayWindow } from './window';

/** In every folder that is opened. */
export const FIRST_FILE = 'a.txt';
export const FIRST_TEXT = 'one\ntwo\n';

let left: BelayWindow | undefined;
let isSpoiled = false;

/** A test has failed: no file goes on where it did. */
export function spoil(): void {
  isSpoiled = true;
}

export async function leave(window: BelayWindow): Promise<void> {
  if (isSpoiled || !(await isCalm(window))) return window.end();
  left = window;
}

/** What was left, made ready for another file. */
export async function takeLeft(): Promise<BelayWindow | undefined> {
  const window = left;
  left = undefined;
  if (window === undefined) return undefined;
  try {
    await tidy(window);
    return window;
  } catch (error) {
    await window.end();
    throw error;
  }
}

export async function closeLeft(): Promise<void> {
  const window = left;
  left = undefined;
  isSpoiled = false;
  await window?.end();
}

async function isCalm({ workbench }: BelayWindow): Promise<boolean> {
  const loud = [workbench.badgeOf('Belay'), workbench.statusItem('Belay paused')];
  const idle = workbench.statusItem('Belay').filter({ hasText: /^\s*Belay\s*$/ });
  return (await Promise.all(loud.map((one) => one.isHidden()))).every(Boolean) && idle.isVisible();
}

async function tidy({ workbench, models, folder }: BelayWindow): Promise<void> {
  models.forget();
  writeFileSync(join(folder, FIRST_FILE), FIRST_TEXT);
  await workbench.page.setViewportSize(SIZE);
  await workbench.runCommand('View: Close All Editors');
  await workbench.runCommand('Notifications: Clear All Notifications');
}
