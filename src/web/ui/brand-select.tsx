import { NativeSelect } from '@mantine/core'
import type { Brand } from '#contract/brands.ts'
import type { BrandId } from '#contract/ids.ts'

type BrandSelectProps = {
  brands: readonly Brand[]
  value: BrandId | undefined
  onChange: (brandId: BrandId | undefined) => void
  /** False where it has to be one. */
  all?: boolean
}

/** One brand of a list, or all. */
export const BrandSelect = ({ brands, value, onChange, all = true }: BrandSelectProps) => (
  <NativeSelect
    label="Brand"
    value={value ?? ''}
    onChange={({ currentTarget }) =>
      onChange(brands.find(({ brand_id }) => String(brand_id) === currentTarget.value)?.brand_id)
    }
    data={[
      ...(all ? [{ value: '', label: 'All brands' }] : []),
      ...brands.map(({ brand_id, title }) => ({ value: String(brand_id), label: title })),
    ]}
  />
)
