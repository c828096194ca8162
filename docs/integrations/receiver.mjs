// Receives the messages of a webhook: npm install standardwebhooks; WEBHOOK_SECRET=whsec_… PORT=8080 node receiver.mjs
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)
const seen = new Set() // in real life a table of events with a unique id, so that none is lost when this stops

createServer(async (request, response) => {
  const body = await text(request)
  try {
    // Checks the signature over the body as it came, and that the message is younger than five minutes.
    webhook.verify(body, request.headers)
  } catch {
    return response.writeHead(401).end()
  }
  const event = JSON.parse(body)
  const isKnown = seen.has(event.id)
  seen.add(event.id)
  // Answer when the event is kept, and work afterwards: what takes longer than 15 seconds is sent again.
  response.writeHead(204).end()
  if (!isKnown) console.log(event.type, event.sequence ?? '')
}).listen(Number(process.env.PORT), '127.0.0.1')
