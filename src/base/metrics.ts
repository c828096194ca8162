import { Counter, Histogram, Registry } from 'prom-client'

/** Counters of this process since its start. */
export const counted = new Registry()

/** `result`: `ok`, or the kind of the failure. */
export const platformAnswers = new Counter({
  name: 'reelay_platform_answers_total',
  help: 'Answers of platforms to calls for posts, by what was made of them.',
  labelNames: ['platform', 'result'],
  registers: [counted],
})

export const deliveryMoves = new Counter({
  name: 'reelay_delivery_moves_total',
  help: 'States that this worker has moved deliveries to, when they had another.',
  labelNames: ['platform', 'state'],
  registers: [counted],
})

export const requestSeconds = new Histogram({
  name: 'reelay_http_request_seconds',
  help: 'Duration of HTTP requests until their answer was sent, without event streams.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  registers: [counted],
})
