/** Changes to the style of Swagger UI: the first operation is on the first screen, also of a telephone. */
export const PAGE_STYLE = `.swagger-ui .info { margin: 20px 0 12px }
.swagger-ui .scheme-container { margin: 0 0 12px; padding: 12px 0 }
.swagger-ui .filter .operation-filter-input { box-sizing: border-box; margin: 8px 0; width: 100% }
.swagger-ui .open-response { background: none; border: 0; cursor: pointer; font: inherit; padding: 0; text-align: left }
.swagger-ui .open-response::before { content: '▸ ' }
.swagger-ui .chapters { margin-bottom: 80px }
.swagger-ui .chapter { border-top: 1px solid #d8dde7; padding: 10px 0 }
.swagger-ui .chapter summary { cursor: pointer; font-weight: 700 }
.swagger-ui .chapter > a { display: inline-block; margin-top: 8px }
.swagger-ui .chapter table { display: block; overflow-x: auto }
.swagger-ui .chapter td { padding: 8px 12px 0 0; vertical-align: top }
.swagger-ui .response-col_links { display: none }
`
