// This file is empty. With it the compiler takes functions that have no body, see pages.go.
