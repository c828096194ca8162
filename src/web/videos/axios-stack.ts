import type { HttpRequest, HttpResponse, HttpStack } from 'tus-js-client'
import { http } from '#web/api/api.ts'

/** The tus client's requests go the way of all calls, so that tests and settings of `http` hold for them too. */
export const axiosStack: HttpStack = { createRequest, getName: () => 'axios' }

function createRequest(method: string, url: string): HttpRequest {
  const headers: Record<string, string> = {}
  const controller = new AbortController()
  let onSent: ((bytes: number) => void) | null = null
  return {
    getMethod: () => method,
    getURL: () => url,
    setHeader: (name, value) => void (headers[name] = value),
    getHeader: (name) => headers[name],
    setProgressHandler: (handler) => void (onSent = handler),
    send: async (body: Blob | null): Promise<HttpResponse> => {
      const answer = await http.request<unknown>({
        method,
        url,
        headers,
        ...(body !== null && { data: body }),
        signal: controller.signal,
        // The tus client decides by the status.
        validateStatus: () => true,
        responseType: 'text',
        transformResponse: (data: unknown) => data,
        onUploadProgress: ({ loaded }) => onSent?.(loaded),
      })
      return {
        getStatus: () => answer.status,
        getHeader: (name) => headerOf(answer.headers[name.toLowerCase()]),
        getBody: () => (typeof answer.data === 'string' ? answer.data : ''),
        getUnderlyingObject: () => answer,
      }
    },
    abort: () => Promise.resolve(controller.abort()),
    getUnderlyingObject: () => null,
  }
}

const headerOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
