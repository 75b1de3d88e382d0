// Package usage knows what models cost: a dated table of prices, and what tokens come to by it. It imports no room.
//
// prices.json is data of the npm package @pydantic/genai-prices, made smaller; prices.LICENSE is its licence. A newer one is
// taken over with
//
//	go test ./internal/usage -run TestTakeOverPrices -prices FILE -version 0.1.8 -date 2026-09-23
//
// where FILE is the package's list of providers as JSON. tendril knows no price that is not in the file or the configuration.
package usage
