import { fnv1a, SEEDS } from '#web/lib/fnv1a.ts'

/** The ends of a video have its index and its last pictures: in practice they differ between two videos of one name and size. */
const END_BYTES = 1_048_576

/**
 * Recognises a file that is chosen again, also after a reload: its name, its size, its first and its last bytes.
 * The modification time does not count: phones change it whenever the same video is chosen.
 * @throws where the file cannot be read any more
 */
export async function fingerprintOf(file: File): Promise<string> {
  const ends = [file.slice(0, END_BYTES), file.slice(Math.max(0, file.size - END_BYTES))]
  const parts = [new TextEncoder().encode(`${file.size} ${file.name}`)]
  for (const end of ends) parts.push(new Uint8Array(await end.arrayBuffer()))
  return [...parts.flatMap((bytes) => SEEDS.map((seed) => fnv1a(bytes, seed))), file.size]
    .map((part) => part.toString(16))
    .join('-')
}

/** False once the file was changed, moved or removed since it was chosen. */
export const isReadable = (file: File): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )
