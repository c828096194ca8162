import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import { userEvent, type UserEvent } from '@testing-library/user-event'
import { useState } from 'react'
import type { PlatformId } from '#contract/platforms/index.ts'
import { queryClient } from '#web/api/queries.ts'
import { theme } from '#web/ui/theme.ts'
import { OPTION_FIELDS } from '#web/platforms/option-fields.tsx'
import { OPTION_PANELS, type StoredOptions } from '#web/platforms/option-panels.tsx'
import type { PanelContext } from '#web/platforms/kit/panel.ts'

type Shown = {
  readonly events: UserEvent
  /** The options that would be sent now; null: they are refused. */
  readonly sent: () => StoredOptions | null
  /** Shows instead what must stand beside the button that publishes. */
  readonly showTerms: (values: readonly (StoredOptions | null)[]) => void
}

/** Renders a platform's options for one account, with their errors beside the fields. */
export function renderOptions(
  platform: PlatformId,
  context: PanelContext,
  stored: StoredOptions | null = null,
): Shown {
  const { validate, Terms } = OPTION_PANELS[platform]
  const Fields = OPTION_FIELDS[platform]
  let latest = stored
  function Panel() {
    const [value, setValue] = useState(stored)
    const judged = validate(value, context)
    const change = (next: StoredOptions) => {
      latest = next
      setValue(next)
    }
    const errors = judged.ok ? {} : judged.errors
    return <Fields value={value} onChange={change} errors={errors} disabled={false} context={context} />
  }
  const { rerender } = render(<Panel />, {
    wrapper: ({ children }) => (
      <QueryClientProvider client={queryClient}>
        <MantineProvider theme={theme} env="test">
          {children}
        </MantineProvider>
      </QueryClientProvider>
    ),
  })
  return {
    events: userEvent.setup({ delay: null }),
    sent: () => {
      const judged = validate(latest, context)
      return judged.ok ? judged.info : null
    },
    showTerms: (values) => rerender(Terms && <Terms values={values} />),
  }
}
