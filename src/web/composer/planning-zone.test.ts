import { expect, test } from 'vitest'
import { BrandId } from '#contract/ids.ts'
import { planningZone } from './planning-zone.ts'

const [north, harbour, plain] = [BrandId.parse(1), BrandId.parse(2), BrandId.parse(3)]
const brands = [
  { brand_id: north, title: 'Northwind', timezone: 'Asia/Tokyo' },
  { brand_id: harbour, title: 'Harbour', timezone: 'America/New_York' },
  { brand_id: plain, title: 'Plain', timezone: null },
]
const own = { timezone: 'Europe/Lisbon', brand: null }

test.each([
  ['accounts of one brand', [north, north], { timezone: 'Asia/Tokyo', brand: 'Northwind' }],
  ['accounts of several brands', [north, harbour], own],
  ['a brand without a zone', [plain], own],
  ['a brand that is gone', [BrandId.parse(9)], own],
  ['no account', [], own],
])('a post to %s is planned in its zone', (_to, brandIds, zone) => {
  expect(planningZone(brandIds, brands, 'Europe/Lisbon')).toEqual(zone)
})
