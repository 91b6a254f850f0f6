# Everything runs on the Node in node_modules where the machine's own is too old, and on the machine's own elsewhere.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
SHELL := /bin/bash

NODE_PACKAGE_VERSION := 24.21.0
NPM_CI := npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
RUN := node_modules/.installed-to-run
DEVELOP := node_modules/.installed-to-develop

.PHONY: start test check openapi db-types readme build help

start: $(RUN) ## set up what is missing and serve the API with a demo
	@exec node src/cli/postroom.ts start

test: $(DEVELOP) ## run the tests; TESTS="test/posts.*.test.ts" runs some
	@npm test -s -- $(TESTS)

check: $(DEVELOP) ## types, lint, and everything generated is up to date
	@npm run -s typecheck
	@npm run -s lint
	@npm run -s check:openapi
	@npm run -s check:db-types

openapi: $(DEVELOP) ## write openapi/openapi.json
	@npm run -s postroom -- openapi > openapi/openapi.json.new
	@mv openapi/openapi.json.new openapi/openapi.json

db-types: $(DEVELOP) ## write db/types.ts from the migrated schema
	@npm run -s db-types

readme: $(DEVELOP) ## write the tables of limits into README.md
	@node test/readme.ts

build: $(DEVELOP) ## compile to dist/
	@npm run -s build

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

# To run the service needs a part of what it takes to develop it: with the whole installed, that serves for both.
$(RUN): package-lock.json
	@test -f $(DEVELOP) && test $(DEVELOP) -nt package-lock.json && touch $@ || { $(NPM_CI) --omit=dev && $(MAKE) -s node OMIT=--omit=dev && touch $@; }

$(DEVELOP): package-lock.json
	@$(NPM_CI) && $(MAKE) -s node OMIT= && touch $@

.PHONY: node
node:
	@node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 18) ? 0 : 1)' || \
	  npm install $(OMIT) --no-save --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
	    "node-$$(node -p 'process.platform + "-" + process.arch')@$(NODE_PACKAGE_VERSION)"
