// Package gencheck has what spoonbill gen writes, so that the compiler sees it.
package gencheck
