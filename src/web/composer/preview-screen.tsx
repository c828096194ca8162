import { IconMovie, IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react'
import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react'
import { ICON } from '#web/ui/icons.tsx'
import { fetchVideoAddress, type VideoAddress, type VideoSource } from '#web/videos/video-source.ts'
import classes from './preview.module.css'

type State = 'cover' | 'playing' | 'paused' | 'failed'

type Props = {
  /** Give the component a key for each. */
  source: VideoSource | null
  /** The picture before it is played. */
  cover: string | null
  /** Whether the app cuts the cover to the screen; otherwise a wide one is shown whole. */
  isCropped: boolean
}

/** The phone's screen: the cover, or the video once it is played. */
export function Screen({ source, cover, isCropped }: Props) {
  const player = useRef<HTMLVideoElement>(null)
  const [state, setState] = useState<State>('cover')
  const [round, setRound] = useState(0)
  const isPlaying = state === 'playing'
  const press = () => {
    if (isPlaying) player.current?.pause()
    else if (player.current === null) setState('paused')
    // A browser that refuses pauses it again.
    else player.current.play().catch(() => undefined)
  }
  return (
    <>
      <Picture src={cover} isCropped={isCropped} />
      {source !== null && (state === 'playing' || state === 'paused') && (
        <Player
          key={round}
          player={player}
          source={source}
          onState={setState}
          onExpired={() => setRound(round + 1)}
        />
      )}
      {source !== null && (
        <button
          type="button"
          className={classes.play}
          aria-label={isPlaying ? 'Pause the video' : 'Play the video'}
          data-playing={isPlaying || undefined}
          onClick={press}
        >
          {isPlaying ? <IconPlayerPauseFilled size={20} /> : <IconPlayerPlayFilled size={20} />}
        </button>
      )}
      {state === 'failed' && (
        <p className={classes.message} data-failed role="alert">
          This video can't be played here.
        </p>
      )}
    </>
  )
}

type PlayerProps = {
  player: RefObject<HTMLVideoElement | null>
  source: VideoSource
  onState: (state: State) => void
  /** Its address has ended: the next one gets another. */
  onExpired: () => void
}

/** Plays at once. */
function Player({ player, source, onState, onExpired }: PlayerProps) {
  const address = useAddress(source, () => onState('failed'))
  const [isWide, setWide] = useState(false)
  if (address === null) return null
  return (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- the user's own video, which has none
    <video
      ref={player}
      className={classes.picture}
      data-wide={isWide || undefined}
      src={address.url}
      autoPlay
      playsInline
      onLoadedMetadata={({ currentTarget: { videoWidth, videoHeight } }) =>
        setWide(isWiderThanPhone(videoWidth, videoHeight))
      }
      onPlay={() => onState('playing')}
      onPause={() => onState('paused')}
      onEnded={() => onState('cover')}
      onError={() => (address.hasEnded() ? onExpired() : onState('failed'))}
    />
  )
}

function useAddress(source: VideoSource, onFail: () => void): VideoAddress | null {
  const [address, setAddress] = useState<VideoAddress | null>(null)
  const fail = useEffectEvent(onFail)
  useEffect(() => {
    let isLeft = false
    let given: VideoAddress | null = null
    const ask = async () => {
      const made = await fetchVideoAddress(source)
      if (isLeft) return made.release()
      given = made
      setAddress(made)
    }
    ask().catch(fail)
    return () => {
      isLeft = true
      given?.release()
    }
  }, [source])
  return address
}

function Picture({ src, isCropped }: { src: string | null; isCropped: boolean }) {
  const [isWide, setWide] = useState(false)
  if (src === null)
    return (
      <span className={classes.empty}>
        <IconMovie {...ICON} size={28} />
      </span>
    )
  return (
    <img
      className={classes.picture}
      src={src}
      alt="Cover"
      draggable={false}
      data-wide={(isWide && !isCropped) || undefined}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
        setWide(isWiderThanPhone(naturalWidth, naturalHeight))
      }
    />
  )
}

/** Such a video is shown whole between black bars; a slightly wider one is cropped. */
const isWiderThanPhone = (width: number, height: number): boolean => width / height > 0.65
