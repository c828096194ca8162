import { knowsZone } from './moments.ts'

/** A label is offset and places; the same with its name or abbreviation; or places alone. */
export type ZoneLabelStyle = 'original' | 'altName' | 'abbrev' | 'offsetHidden'

export type ZoneOption = {
  /** IANA name. */
  readonly value: string
  readonly label: string
  /** GMT offset at the given time. */
  readonly offsetMinutes: number
}

/** One zone per set of rules, with the places people look for. Old names that every browser knows. */
const PLACES: Readonly<Record<string, string>> = {
  'Etc/GMT+12': 'International Date Line West',
  'Pacific/Midway': 'Midway Island, Samoa',
  'Pacific/Honolulu': 'Hawaii',
  'Pacific/Marquesas': 'Marquesas Islands',
  'America/Adak': 'Aleutian Islands',
  'America/Anchorage': 'Alaska, Anchorage, Juneau',
  'Pacific/Gambier': 'Gambier Islands',
  'America/Los_Angeles': 'Pacific Time, Los Angeles, Seattle, Vancouver',
  'America/Tijuana': 'Tijuana',
  'Pacific/Pitcairn': 'Pitcairn Islands',
  'America/Denver': 'Mountain Time, Denver, Edmonton, Salt Lake City',
  'America/Phoenix': 'Arizona, Phoenix',
  'America/Mazatlan': 'La Paz, Mazatlan',
  'America/Whitehorse': 'Dawson, Whitehorse, Yukon',
  'America/Chicago': 'Central Time, Chicago, Dallas, Winnipeg',
  'America/Mexico_City': 'Guadalajara, Mexico City, Monterrey',
  'America/Regina': 'Regina, Saskatchewan',
  'America/Guatemala': 'Central America, Guatemala, San Jose, San Salvador',
  'Pacific/Galapagos': 'Galapagos Islands',
  'Pacific/Easter': 'Easter Island',
  'America/New_York': 'Eastern Time, New York, Miami, Toronto',
  'America/Bogota': 'Bogota, Lima, Quito',
  'America/Cancun': 'Cancun',
  'America/Jamaica': 'Kingston, Panama',
  'America/Havana': 'Havana',
  'America/Halifax': 'Atlantic Time, Bermuda, Halifax',
  'America/Caracas': 'Caracas',
  'America/La_Paz': 'Georgetown, La Paz, Manaus',
  'America/Puerto_Rico': 'Puerto Rico, Santo Domingo, Trinidad',
  'America/Santiago': 'Santiago',
  'America/Asuncion': 'Asuncion',
  'America/St_Johns': 'Newfoundland and Labrador',
  'America/Sao_Paulo': 'Brasilia, Rio de Janeiro, Sao Paulo',
  'America/Argentina/Buenos_Aires': 'Buenos Aires, Cordoba',
  'America/Montevideo': 'Montevideo',
  'America/Cayenne': 'Cayenne, Paramaribo',
  'America/Godthab': 'Greenland, Nuuk',
  'America/Miquelon': 'Saint Pierre and Miquelon',
  'America/Noronha': 'Fernando de Noronha',
  'Atlantic/South_Georgia': 'South Georgia',
  'Atlantic/Azores': 'Azores',
  'Atlantic/Cape_Verde': 'Cape Verde Islands',
  GMT: 'UTC',
  'Atlantic/Reykjavik': 'Accra, Dakar, Reykjavik',
  'Europe/London': 'Edinburgh, London',
  'Europe/Dublin': 'Dublin',
  'Europe/Lisbon': 'Lisbon, Madeira',
  'Atlantic/Canary': 'Canary Islands',
  'Africa/Casablanca': 'Casablanca',
  'Europe/Amsterdam': 'Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna',
  'Europe/Brussels': 'Brussels, Copenhagen, Madrid, Oslo, Paris',
  'Europe/Belgrade': 'Belgrade, Bratislava, Budapest, Ljubljana, Prague',
  'Europe/Sarajevo': 'Sarajevo, Skopje, Warsaw, Zagreb',
  'Africa/Lagos': 'Kinshasa, Lagos, Luanda',
  'Africa/Algiers': 'Algiers, Tunis',
  'Europe/Athens': 'Athens',
  'Europe/Bucharest': 'Bucharest',
  'Europe/Helsinki': 'Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius',
  'Europe/Chisinau': 'Chisinau',
  'Europe/Kaliningrad': 'Kaliningrad',
  'Africa/Cairo': 'Cairo',
  'Africa/Johannesburg': 'Harare, Johannesburg, Pretoria',
  'Africa/Tripoli': 'Tripoli',
  'Asia/Beirut': 'Beirut',
  'Asia/Jerusalem': 'Jerusalem, Tel Aviv',
  'Europe/Istanbul': 'Ankara, Istanbul',
  'Europe/Moscow': 'Minsk, Moscow, St. Petersburg',
  'Asia/Riyadh': 'Amman, Baghdad, Damascus, Kuwait, Riyadh',
  'Africa/Nairobi': 'Addis Ababa, Nairobi',
  'Asia/Tehran': 'Tehran',
  'Asia/Dubai': 'Abu Dhabi, Dubai, Muscat',
  'Asia/Baku': 'Baku',
  'Asia/Tbilisi': 'Tbilisi',
  'Asia/Yerevan': 'Yerevan',
  'Indian/Mauritius': 'Mauritius, Reunion, Seychelles',
  'Asia/Kabul': 'Kabul',
  'Asia/Karachi': 'Islamabad, Karachi, Lahore',
  'Asia/Tashkent': 'Dushanbe, Samarkand, Tashkent',
  'Asia/Yekaterinburg': 'Ekaterinburg',
  'Asia/Almaty': 'Almaty, Astana',
  'Indian/Maldives': 'Maldives',
  'Asia/Kolkata': 'Chennai, Kolkata, Mumbai, New Delhi',
  'Asia/Colombo': 'Colombo, Sri Jayawardenepura',
  'Asia/Kathmandu': 'Kathmandu',
  'Asia/Dhaka': 'Dhaka',
  'Asia/Bishkek': 'Bishkek',
  'Asia/Thimphu': 'Thimphu',
  'Asia/Omsk': 'Omsk',
  'Asia/Rangoon': 'Yangon Rangoon',
  'Indian/Cocos': 'Cocos Islands',
  'Asia/Bangkok': 'Bangkok, Hanoi, Phnom Penh',
  'Asia/Jakarta': 'Jakarta',
  'Asia/Krasnoyarsk': 'Krasnoyarsk, Novosibirsk',
  'Asia/Shanghai': 'Beijing, Chongqing, Urumqi',
  'Asia/Hong_Kong': 'Hong Kong SAR, Macau',
  'Asia/Kuala_Lumpur': 'Kuala Lumpur',
  'Asia/Singapore': 'Singapore',
  'Asia/Manila': 'Manila',
  'Asia/Taipei': 'Taipei',
  'Asia/Irkutsk': 'Irkutsk',
  'Asia/Ulaanbaatar': 'Ulaanbaatar',
  'Australia/Perth': 'Perth',
  'Australia/Eucla': 'Eucla',
  'Asia/Tokyo': 'Osaka, Sapporo, Tokyo',
  'Asia/Seoul': 'Pyongyang, Seoul',
  'Asia/Yakutsk': 'Yakutsk',
  'Australia/Darwin': 'Darwin',
  'Australia/Adelaide': 'Adelaide',
  'Australia/Sydney': 'Canberra, Melbourne, Sydney',
  'Australia/Hobart': 'Hobart',
  'Australia/Brisbane': 'Brisbane',
  'Pacific/Guam': 'Guam, Port Moresby',
  'Asia/Vladivostok': 'Vladivostok',
  'Australia/Lord_Howe': 'Lord Howe Island',
  'Pacific/Guadalcanal': 'New Caledonia, Solomon Islands, Vanuatu',
  'Pacific/Norfolk': 'Norfolk Island',
  'Asia/Magadan': 'Magadan',
  'Pacific/Auckland': 'Auckland, Wellington',
  'Pacific/Fiji': 'Fiji Islands',
  'Asia/Kamchatka': 'Kamchatka',
  'Pacific/Majuro': 'Marshall Islands, Tuvalu',
  'Pacific/Chatham': 'Chatham Islands',
  'Pacific/Tongatapu': "Nuku'alofa",
  'Pacific/Apia': 'Apia',
  'Pacific/Kiritimati': 'Kiritimati',
}

/** The zones of the list plus `more` (such as the user's own), sorted by GMT offset at `now`, then by name. */
export function zoneOptions(now: Date, style: ZoneLabelStyle, more: readonly string[]): ZoneOption[] {
  // UTC appears once, under the user's name for it if there is one.
  const utc = more.findLast((zone) => UTC_NAMES.has(zone)) ?? 'GMT'
  const zones = [...Object.keys(PLACES), ...more].map((zone) => (UTC_NAMES.has(zone) ? utc : zone))
  return [...new Set(zones)]
    .flatMap((zone) => zoneOption(zone, now, style) ?? [])
    .toSorted(
      (one, other) => one.offsetMinutes - other.offsetMinutes || one.label.localeCompare(other.label, 'en'),
    )
}

/** The browsers' names for UTC. */
const UTC_NAMES: ReadonlySet<string> = new Set([
  'GMT',
  'UTC',
  'UCT',
  'Zulu',
  'Etc/GMT',
  'Etc/UTC',
  'Etc/UCT',
  'Etc/Zulu',
])

/** `null` for a name that this browser does not know. */
export function zoneOption(zone: string, now: Date, style: ZoneLabelStyle): ZoneOption | null {
  const offsetMinutes = offsetOf(zone, now)
  if (offsetMinutes === null) return null
  const places = PLACES[zone] ?? placeName(zone)
  const offset = `(GMT${clock(offsetMinutes)}) `
  switch (style) {
    case 'original':
      return { value: zone, label: offset + places, offsetMinutes }
    case 'altName':
      return { value: zone, label: offset + places + inBrackets(longName(zone, now)), offsetMinutes }
    case 'abbrev':
      return { value: zone, label: offset + places + inBrackets(abbreviation(zone, now)), offsetMinutes }
    case 'offsetHidden':
      return { value: zone, label: places, offsetMinutes }
  }
}

/** `America/Port_of_Spain` reads "Port of Spain". */
const placeName = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')

const inBrackets = (name: string | null): string => (name === null ? '' : ` (${name})`)

/** `-210` reads `-3:30`. */
function clock(minutes: number): string {
  const distance = Math.abs(minutes)
  const rest = String(distance % 60).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${Math.floor(distance / 60)}:${rest}`
}

function offsetOf(zone: string, now: Date): number | null {
  const name = zoneName(zone, now, 'en-US', 'longOffset')
  if (name === null) return null
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0))
}

/** Such as "Central European Standard Time"; `null` for a zone that is only known by its offset. */
function longName(zone: string, now: Date): string | null {
  const name = zoneName(zone, now, 'en-US', 'long')
  return name === null || name.startsWith('GMT') ? null : name
}

/** No single locale knows all abbreviations. */
const ABBREVIATION_LOCALES = [
  'en-US',
  'en-GB',
  'en-CA',
  'en-AU',
  'en-NZ',
  'en-IN',
  'en-ZA',
  'en-SG',
  'en-HK',
  'ja',
  'id',
]

function abbreviation(zone: string, now: Date): string | null {
  for (const locale of ABBREVIATION_LOCALES) {
    const name = zoneName(zone, now, locale, 'short')
    if (name !== null && /^[A-Z]{2,5}$/.test(name)) return name
  }
  return null
}

function zoneName(
  zone: string,
  now: Date,
  locale: string,
  form: 'long' | 'short' | 'longOffset',
): string | null {
  try {
    const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: form }).formatToParts(now)
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? null
  } catch {
    // Intl reports an unknown zone only by throwing a RangeError.
    return null
  }
}

/** The lower-case search terms of each zone: its label, its name and its countries, if the browser knows them. */
export function searchTerms(options: readonly ZoneOption[], now: Date): ReadonlyMap<string, string> {
  const countries = countriesOf(options, now)
  return new Map(
    options.map(({ value, label }) => [
      value,
      [label, placeName(value), ...(countries.get(value) ?? [])].join(' ').toLowerCase(),
    ]),
  )
}

/** Missing in some browsers and in TypeScript's `Intl` types. */
type LocaleWithZones = Intl.Locale & { readonly getTimeZones?: () => readonly string[] | undefined }

/** The country names of each offered zone. A country whose zone is not offered is found under zones with equal rules. */
function countriesOf(options: readonly ZoneOption[], now: Date): Map<string, string[]> {
  const offered = new Set(options.map(({ value }) => value))
  const rules = (zone: string) => rulesOf(zone, now.getUTCFullYear())
  const alike = Map.groupBy(offered, rules)
  const found = new Map<string, string[]>()
  for (const [name, zones] of (zonesByCountry ??= readCountries())) {
    const own = [...zones].filter((zone) => offered.has(zone))
    const met = new Set(own.map(rules))
    const near = [...zones]
      .filter((zone) => !met.has(rules(zone)))
      .flatMap((zone) => alike.get(rules(zone)) ?? [])
    for (const zone of new Set([...own, ...near])) found.set(zone, [...(found.get(zone) ?? []), name])
  }
  return found
}

const LETTERS = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
/** Every pair of letters; `Intl.DisplayNames` knows which are countries. */
const REGIONS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))

/** A page asks for them for each of its lists, and they take a quarter of a second. */
let zonesByCountry: ReadonlyMap<string, ReadonlySet<string>> | undefined

function readCountries(): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  return new Map(
    REGIONS.flatMap((region) => {
      const name = names.of(region)
      const locale: LocaleWithZones = new Intl.Locale(`und-${region}`)
      return name === undefined ? [] : [[name, new Set(locale.getTimeZones?.()?.filter(knowsZone))] as const]
    }),
  )
}

/** Each costs Intl a tenth of a millisecond. */
const knownRules = new Map<string, string>()

/** Equal for zones with the same winter and summer time this year and the same generic name. */
function rulesOf(zone: string, year: number): string {
  const key = `${year} ${zone}`
  const known = knownRules.get(key)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    timeZoneName: 'longGeneric',
  })
  const rules = [0, 6].map((month) => format.format(Date.UTC(year, month, 15))).join()
  knownRules.set(key, rules)
  return rules
}
