import { z } from 'zod';
import { pathTool } from './pathTool';
import { readClass } from './paths';
import { failure, settled, type Tool } from './tool';

const Args = z.strictObject({
  pattern: z.string().min(1).max(4096),
  path: z.string().min(1).max(4096).optional(),
  glob: z.string().min(1).max(1024).optional(),
});

export function searchTool(_ripgrep: string): Tool {
  return pathTool({
    name: 'search',
    description: 'Search file contents by regular expression (ripgrep; ignored files are left out).',
    args: Args,
    verb: 'Search',
    classOf: readClass,
    run: () => settled(failure('Search is not there yet.')),
  });
}
