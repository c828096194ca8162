import { InstagramUsername } from '#contract/platforms/instagram.ts'
import { type Chips, ChipsField } from '#web/platforms/kit/chips-field.tsx'
import { joinNames, namesIn, splitNames } from './names.ts'

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  max: number
  help: string
  error: string | null
  disabled: boolean
}

/** People by username, separated by spaces or commas. */
export function NamesField({ max, help, ...field }: Props) {
  const count = namesIn(field.value).length
  return (
    <ChipsField
      {...field}
      chips={NAMES}
      help={`${count === 0 ? `Up to ${max}` : `${count} of ${max}`}. ${help}`}
      isFull={count >= max}
    />
  )
}

const NAMES: Chips = {
  all: namesIn,
  split: splitNames,
  join: joinNames,
  prefix: '@',
  isValid: (name) => InstagramUsername.safeParse(name).success,
}
