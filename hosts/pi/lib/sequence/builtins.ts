// The built-in commands of pi, which pi does not tell.
export const BUILTINS = ('settings model tree thinking scoped-models export import share bug copy name session changelog ' +
  'hotkeys fork clone trust login logout new compact resume reload quit').split(' ')
