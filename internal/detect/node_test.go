package detect

import "testing"

func TestNode(t *testing.T) {
	t.Parallel()
	check(t, []detection{
		{name: "pnpm by its lock file", tree: files{"pnpm-lock.yaml": "", "package.json": `{
  "name": "x",
  "scripts": {
    "dev": "vite",
    "build": "tsc && vite build",
    "test": "vitest run",
    "lint": "eslint .",
    "format": "prettier --write .",
    "format:check": "prettier --check ."
  },
  "devDependencies": {"typescript": "^5", "vitest": "^2"}
}`, "tsconfig.json": "{}"}, want: `
setup: pnpm install --frozen-lockfile --prefer-offline (pnpm-lock.yaml)
format!: pnpm run format (package.json:8)
lint: pnpm run lint (package.json:7)
build: pnpm run build (package.json:5)
test: pnpm test (package.json:6)
`},
		{name: "npm's placeholder and nothing to install", tree: files{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, want: `
# package.json:1: the script test is only npm's placeholder
`},
		{name: "a formatter that only looks, a linter that mends", tree: files{"package-lock.json": "{}", "package.json": `{"scripts": {"format": "prettier --check .", "lint": "eslint --fix ."}, "dependencies": {"a": "1"}}`}, want: `
setup: npm ci --prefer-offline (package-lock.json)
format: npm run format (package.json:1)
lint!: npm run lint (package.json:1)
`},
		{name: "a test that watches", tree: files{"package.json": `{"scripts": {"test": "jest --watch", "test:ci": "jest --ci"}}`}, want: `
test: npm run test:ci (package.json:1)
# package.json:1: the script test watches and never ends
`},
		{name: "watching switched off", tree: files{"package.json": `{"scripts": {"test": "react-scripts test --watchAll=false"}}`}, want: `
test: npm test (package.json:1)
`},
		{name: "packageManager goes before the lock file", tree: files{"package-lock.json": "{}", "yarn.lock": "", "package.json": "{\n\"packageManager\": \"yarn@4.1.0\",\n\"scripts\": {\"test\": \"jest\", \"type-check\": \"tsc\"}, \"dependencies\": {\"a\": \"1\"}}"}, want: `
setup: yarn install --immutable (yarn.lock)
types: yarn run type-check (package.json:3)
test: yarn test (package.json:3)
# several lock files: yarn.lock, package-lock.json; yarn.lock is taken
`},
		{name: "old yarn", tree: files{"yarn.lock": "", "package.json": `{"dependencies": {"a": "1"}}`}, want: `
setup: yarn install --frozen-lockfile --prefer-offline (yarn.lock)
`},
		{name: "bun, whose own test is another", tree: files{"bun.lock": "", "package.json": `{"scripts": {"test": "vitest run"}, "devDependencies": {"a": "1"}}`}, want: `
setup: bun install --frozen-lockfile (bun.lock)
test: bun run test (package.json:1)
`},
		{name: "no lock file", tree: files{"package.json": `{"scripts": {"test": "node --test"}, "devDependencies": {"typescript": "5"}}`, "tsconfig.json": "{}"}, want: `
setup: npm install --no-package-lock --prefer-offline (package.json)
types?: npx --no-install tsc --noEmit (tsconfig.json)
test: npm test (package.json:1)
`},
		{name: "not JSON", tree: files{"package.json": "{"}, want: `
# package.json cannot be read: unexpected end of JSON input
`},
	})
}
