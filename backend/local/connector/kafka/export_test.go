package kafka

// Stress is stress, for the tests outside the package.
const Stress = stress
