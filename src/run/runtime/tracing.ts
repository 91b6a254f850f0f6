import { OperatorError } from '../../base/errors.ts'
import { VERSION } from '../../base/version.ts'

interface Tracing {
  /** Sends the last spans. */
  stop(): Promise<void>
}

/** The limit for sending the last spans: it is part of the shutdown. */
const STOP_MS = 1_000

/** Optional dependencies, which may be absent: the code must compile without their types. */
const PACKAGES = [
  '@fastify/otel',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/instrumentation-pg',
  '@opentelemetry/instrumentation-undici',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node',
]

/**
 * Traces requests, SQL statements and calls to networks, and sends the spans to OTEL_EXPORTER_OTLP_ENDPOINT. Call it
 * before anything imports pg, whose methods are replaced when pg requires its files. That needs no loader: pg's ES
 * module is a wrapper of a CommonJS module. The others listen to diagnostics channels: of Fastify, see
 * `registerOnInitialization` at
 * https://github.com/fastify/otel, and of undici, see
 * https://github.com/nodejs/undici/blob/v7.29.1/docs/docs/api/DiagnosticsChannel.md.
 */
export async function startTracing(): Promise<Tracing> {
  const [otel, otlp, pg, undici, resources, sdk] = await importPackages()
  const provider = new sdk.NodeTracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': 'postroom', 'service.version': VERSION })
      // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(withoutContents(new otlp.OTLPTraceExporter()))],
  })
  provider.register()
  const instrumentations = [
    new otel.FastifyOtelInstrumentation({
      registerOnInitialization: true,
      instrumentHooks: false,
      instrumentHandler: false,
    }),
    // Each poll of a worker would be a trace if spans needed no parent.
    new pg.PgInstrumentation({ requireParentSpan: true }),
    new undici.UndiciInstrumentation(),
  ]
  for (const instrumentation of instrumentations) instrumentation.setTracerProvider(provider)
  return {
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())
      await Promise.race([provider.shutdown().catch(() => {}), late])
    },
  }
}

/** Imports the packages on demand: together they take 60 MB of memory. */
// biome-ignore lint/suspicious/noExplicitAny: the types may be absent, like the packages
async function importPackages(): Promise<any[]> {
  try {
    return await Promise.all(PACKAGES.map((name) => import(name)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new OperatorError(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages for traces are not installed: install without --omit=optional',
    )
  }
}

interface Span {
  attributes: Record<string, unknown>
  status: { code: number; message?: string }
  events: unknown[]
}

interface SpanExporter {
  export(spans: Span[], done: (result: unknown) => void): void
  shutdown(): Promise<void>
  forceFlush(): Promise<void>
}

/**
 * Attributes that may contain a secret: tokens of bots and webhooks are parts of URLs, and clients send keys in
 * queries.
 */
const SECRET_ATTRIBUTES = ['url.full', 'url.path', 'url.query']

/**
 * Exports spans without what the log leaves out too: secrets, and the words of errors, which may quote a row. Routes,
 * names of servers and statements with placeholders stay.
 */
const withoutContents = (exporter: SpanExporter): SpanExporter => ({
  export: (spans, done) => exporter.export(spans.map(withoutContent), done),
  shutdown: () => exporter.shutdown(),
  forceFlush: () => exporter.forceFlush(),
})

function withoutContent(span: Span): Span {
  const attributes = Object.fromEntries(
    Object.entries(span.attributes).filter(([name]) => !SECRET_ATTRIBUTES.includes(name)),
  )
  // The other properties are those of the span.
  return Object.create(span, {
    attributes: { value: attributes },
    status: { value: { code: span.status.code } },
    events: { value: [] },
  })
}
