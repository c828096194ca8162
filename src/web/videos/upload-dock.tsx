import { Link, useLocation } from 'react-router'
import { useActiveUploads } from './uploads.ts'
import { UploadProgress } from './upload-progress.tsx'
import classes from './videos.module.css'

/** The running uploads of other screens; a screen shows its own. */
export default function UploadDock() {
  const { pathname, search } = useLocation()
  const uploads = useActiveUploads().filter(({ page }) => page !== pathname && page !== pathname + search)
  if (uploads.length === 0) return null
  return (
    <section className={classes.dock} aria-label="Uploads">
      {uploads.map((upload) => (
        <div key={upload.id}>
          <Link to={upload.page} className={classes.dockName} dir="auto">
            {upload.filename}
          </Link>
          <UploadProgress upload={upload.state} filename={upload.filename} />
        </div>
      ))}
    </section>
  )
}
