# Two images. `fake` is a fake crew that listens on port 8000, and needs the variables
# CREWLOAD_FAKE_ADMIN_TOKEN and CREWLOAD_FAKE_TOKEN. `runner` is the command crewload, with k6.
#   docker build --target fake -t crewload-fake . && docker build --target runner -t crewload .
# Neither is root: 1000 is the user node. Both work with a read-only root file system; `runner`
# writes to /tmp, and its reports to /work.

FROM golang:1.26-bookworm AS k6
WORKDIR /k6
COPY tools/k6/go.mod tools/k6/go.sum tools/k6/main.go ./
RUN CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags="-s -w" -o k6 .

FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm run package

FROM node:22-bookworm-slim AS packages
WORKDIR /packages
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:22-bookworm-slim AS runner
COPY --from=build /build/package /opt/crewload
COPY --from=packages /packages/node_modules /opt/crewload/node_modules
COPY --from=k6 /k6/k6 /usr/local/bin/k6
RUN ln -s /opt/crewload/dist/bin/crewload.js /usr/local/bin/crewload && mkdir -m 1777 /work
WORKDIR /work
USER 1000
ENTRYPOINT ["crewload"]
CMD ["--help"]

FROM runner AS fake
EXPOSE 8000
HEALTHCHECK --interval=5s --timeout=2s --start-period=10s CMD ["node", "-e", "fetch('http://127.0.0.1:8000/__fake__/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["fake", "--host", "0.0.0.0", "--port", "8000"]
