package sparkconnect

// AskPython is askPython for tests that have a server.
var AskPython = (*Session).askPython
