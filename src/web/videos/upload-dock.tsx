import { Link, useLocation } from 'react-router'
import { counted } from '#web/lib/amounts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { UploadProgress } from './upload-progress.tsx'
import { isCounted, UploadTotals } from './upload-totals.tsx'
import { useUploads } from './uploads.ts'
import classes from './videos.module.css'

/** The running uploads of other screens, those of the library as one; a screen shows its own. */
export default function UploadDock() {
  const { pathname, search } = useLocation()
  const uploads = useUploads().filter(({ page }) => page !== pathname && page !== pathname + search)
  if (!uploads.some(({ state }) => state.kind === 'uploading')) return null
  const ofLibrary = uploads.filter((one) => one.page === PATHS.library && isCounted(one))
  const together = ofLibrary.length > 1 ? ofLibrary : []
  return (
    <section className={classes.dock} aria-label="Uploads">
      {together.length > 0 && (
        <div>
          <Link to={PATHS.library} className={classes.dockName}>
            {counted(together.length, 'video')} for your library
          </Link>
          <UploadTotals uploads={together} />
        </div>
      )}
      {uploads
        .filter((one) => !together.includes(one))
        .map(
          ({ id, page, filename, state }) =>
            state.kind === 'uploading' && (
              <div key={id}>
                <Link to={page} className={classes.dockName} dir="auto">
                  {filename}
                </Link>
                <UploadProgress upload={state} filename={filename} />
              </div>
            ),
        )}
    </section>
  )
}
