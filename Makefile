# Node comes from node_modules/.bin where the machine's own is too old.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

# The machine's own Node, without a node_modules/.bin that PATH may have already.
OWN_PATH := $(shell echo "$$PATH" | sed 's|[^:]*node_modules/.bin:||g')
OWN_NODE := $(shell PATH="$(OWN_PATH)" node -v)

# Named after that Node: another one needs another installation.
RUN := node_modules/.installed-to-run-beside-$(OWN_NODE)
DEVELOP := node_modules/.installed-to-develop-beside-$(OWN_NODE)
NETWORKS := test/networks/node_modules/.installed
PRISM := test/faults/fuzz/prism/node_modules/.installed
SDKS := test/sdks/node_modules/.installed
INSPECTOR := test/mcp/inspector/node_modules/.installed
GENERATORS := test/openapi/generators/node_modules/.installed
N8N := test/n8n/real/node_modules/.installed

# The tests of faults/cluster have a target of their own.
FAULTS := $(filter-out test/faults/cluster/%,$(wildcard test/faults/*/*.test.ts)) $(wildcard test/*/*.slow.test.ts)

.PHONY: setup start test test-faults test-networks test-sdks test-inspector test-prism test-generators test-n8n test-cluster test-postgres test-s3 test-upgrade test-image bench soak simulate mutants check openapi db-types readme screenshots sdk n8n snapshot help
.NOTPARALLEL:

setup: $(RUN) ## install what the service needs

# The compile cache shortens later starts.
start: $(RUN) ## install, create a database with a demo, serve the API, publish what is due
	@NODE_COMPILE_CACHE=node_modules/.cache/node exec node src/cli/postroom.ts start

test: $(DEVELOP) ## run the tests that every change waits for; TESTS=test/posts/list.test.ts runs some
	@npm test -s -- $(TESTS)

test-faults: $(DEVELOP) ## run the tests that kill processes, break connections and wait
	@npm test -s -- $(or $(TESTS),$(FAULTS))

test-networks: $(DEVELOP) $(NETWORKS) ## run the tests on a real Bluesky server
	@npm test -s -- $(or $(TESTS),test/networks/*.test.ts)

test-sdks: $(DEVELOP) $(SDKS) ## drive the fakes with clients of networks, hold requests against descriptions
	@npm test -s -- $(or $(TESTS),test/sdks/*.test.ts)

test-inspector: $(DEVELOP) $(INSPECTOR) ## drive the tools of MCP with the inspector of its SDK
	@npm test -s -- $(or $(TESTS),test/mcp/inspector/*.test.ts)

test-prism: $(DEVELOP) $(PRISM) ## test through a proxy that compares all requests and responses with the OpenAPI document
	@npm test -s -- $(or $(TESTS),test/faults/fuzz/prism/*.test.ts)

test-generators: $(DEVELOP) $(GENERATORS) ## compile clients that four generators make from the document
	@npm test -s -- $(or $(TESTS),test/openapi/generators/*.test.ts)

test-n8n: $(DEVELOP) $(N8N) ## run the nodes in a real n8n, which needs Node 24 and 3 GB, and lint them
	@npm test -s -- $(or $(TESTS),test/n8n/real/*.test.ts)

test-cluster: $(DEVELOP) ## test failover in a cluster of Debian's PostgreSQL, PgBouncer and HAProxy
	@npm test -s -- $(or $(TESTS),test/faults/cluster/*.test.ts)

test-postgres: $(DEVELOP) ## run tests on Debian's PostgreSQL: with its settings, with every plan compiled, and behind PgBouncer and 150 ms
	@for place in $(or $(PLACE),own compiled far); do node test/postgres/run.ts $$place $(TESTS) || exit 1; done

test-s3: $(DEVELOP) ## run the tests of storage on the S3 of Debian's Ceph
	@node test/storage/radosgw/run.ts $(or $(TESTS),test/storage/*.test.ts test/media/s3.test.ts)

test-image: $(DEVELOP) ## build the container image and run it, as root with Debian's buildah
	@npm test -s -- $(or $(TESTS),test/docker/image/*.test.ts)

test-upgrade: $(DEVELOP) ## upgrade the released versions under load: nothing may be lost, doubled or delayed
	@npm test -s -- $(or $(TESTS),test/upgrade/*.test.ts)

bench: $(DEVELOP) ## measure speed beside a minimal server and the last release; BENCH=requests, against, growth, publisher or console runs one part
	@for part in $(or $(BENCH),requests against growth publisher console); do node test/bench/$$part.ts || exit 1; done

soak: $(DEVELOP) ## inject faults for hours, check that nothing is lost or done twice; SOAK=cluster, workers, events, networks, refreshes, restores, service, restarts, preflight, bodies, media, fuzz, model or simulation runs one
	@for part in $(or $(SOAK),cluster workers events networks refreshes restores service restarts preflight bodies media fuzz model simulation); do node test/$$(case $$part in model|simulation) ;; *) echo faults/ ;; esac)$$part/soak.ts || exit 1; done

simulate: $(DEVELOP) ## live the day of a seed with all of its faults, and print its history: make simulate SEED=1
	@node test/simulation/simulate.ts $(or $(SEED),1)

mutants: $(DEVELOP) ## change one operator, condition, constant or statement at a time, and report what no test finds; COUNT=20 tries fewer
	@node test/mutants/soak.ts $(COUNT)

check: $(DEVELOP) ## check types, lint, import directions, and that generated files are up to date
	@npm run -s typecheck
	@npm run -s lint
	@npm run -s check:openapi
	@npm run -s check:db-types
	@npm test -s -- test/repository/*.test.ts test/openapi/document.test.ts

openapi: $(DEVELOP) ## write openapi/openapi.json, schemas/operations/index.ts, and the methods and types of the clients
	@node .ci/operations.ts
	@node .ci/python-client.ts
	@npm run -s postroom -- openapi > node_modules/.openapi.json
	@mv node_modules/.openapi.json openapi/openapi.json
	@node .ci/typescript-client.ts

db-types: $(DEVELOP) ## write db/types.ts from the migrated schema
	@npm run -s db-types

readme: $(DEVELOP) ## write the tables of READMEs, and .env.example
	@node .ci/readme.ts

screenshots: $(DEVELOP) ## take the pictures of the console for the README, with Chromium
	@node .ci/screenshots.ts

sdk: $(DEVELOP) ## write the TypeScript SDK to dist/npm and pack it, to install with npm
	@node .ci/sdk-package.ts

n8n: $(DEVELOP) ## write the nodes for n8n to dist/n8n and pack them
	@node .ci/n8n-package.ts

snapshot: ## keep the committed sources of this version for test-upgrade
	@git archive --format=tar HEAD src schemas db package.json | gzip -9n > test/upgrade/releases/$$(node -p 'require("./package.json").version').tgz

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

# The dependencies of development include those of the service.
$(RUN): package-lock.json
	@test $(DEVELOP) -nt package-lock.json || { $(ANNOUNCE); $(INSTALL) --omit=dev; }
	@touch $@

$(DEVELOP): package-lock.json
	@$(ANNOUNCE); $(INSTALL)
	@touch $@

# Servers of networks, which only their tests need. Nothing is compiled, so any Node will do.
$(NETWORKS): test/networks/package-lock.json
	@cd test/networks && $(INSTALL_PACKAGES)
	@touch $@

# Clients of networks, which only their tests need.
$(SDKS): test/sdks/package-lock.json
	@cd test/sdks && $(INSTALL_PACKAGES)
	@touch $@

# The inspector of the MCP SDK, which only one test needs.
$(INSPECTOR): test/mcp/inspector/package-lock.json
	@cd test/mcp/inspector && $(INSTALL_PACKAGES)
	@touch $@

# The proxy, which only one test needs.
$(PRISM): test/faults/fuzz/prism/package-lock.json
	@cd test/faults/fuzz/prism && $(INSTALL_PACKAGES)
	@touch $@

# The generators of clients that only one test needs.
$(GENERATORS): test/openapi/generators/package-lock.json
	@cd test/openapi/generators && $(INSTALL_PACKAGES)
	@touch $@

# n8n and its linter, which only the tests of the nodes need. Without scripts, nothing is compiled.
$(N8N): test/n8n/real/package-lock.json
	@$(ANNOUNCE); cd test/n8n/real && $(INSTALL_PACKAGES)
	@touch $@

# npm prints nothing until it has finished.
ANNOUNCE = echo 'Installing packages into node_modules: this may take some minutes' >&2

# Not `npm ci`: it would remove node_modules while the service runs. The lockfile is obeyed all the same.
INSTALL = $(INSTALL_PACKAGES) $(NODE)
INSTALL_PACKAGES = npm install --no-save --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error

# Empty where the machine's Node is new enough, else the package that contains one.
NODE = $(if $(findstring none,$(NODE_PACKAGE)),$(error Install Node 22.18 or newer: npm has none for this machine),$(NODE_PACKAGE))
NODE_PACKAGE = $(shell PATH="$(OWN_PATH)" node -p 'const [a, b] = process.versions.node.split("."); \
  const platform = process.platform + "-" + process.arch; \
  const version = { "linux-x64": "24.21.0", "linux-arm64": "24.21.0", "darwin-x64": "24.18.1" }[platform]; \
  a > 22 || (a == 22 && b >= 18) ? "" : version ? "node-" + platform + "@" + version : "none"')
