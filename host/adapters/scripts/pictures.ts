/** Pictures as a script may hand them over: a result's own, a data URL, or `{mediaType, data}`. */
import { z } from 'zod';
import { Image } from '../../../protocol';

const DATA_URL = /^data:(image\/[a-z]+);base64,([A-Za-z0-9+/=]+)$/;

const Picture = z.union([
  z
    .string()
    .regex(DATA_URL)
    .transform((url) => {
      const [, mediaType, data] = DATA_URL.exec(url) ?? [];
      return { mediaType, data };
    })
    .pipe(Image),
  Image,
  z
    .object({ mimeType: z.string(), data: z.string() })
    .transform(({ mimeType, data }) => ({ mediaType: mimeType, data }))
    .pipe(Image),
]);
const Pictures = z.union([
  Picture.transform((picture) => [picture]),
  z.object({ images: z.array(Picture).min(1) }).transform(({ images }) => images),
]);

/** The pictures of a JSON text; undefined when there are none. */
export function imageOf(json: string): readonly Image[] | undefined {
  const parsed = Pictures.safeParse(JSON.parse(json));
  return parsed.success ? parsed.data : undefined;
}
