# Warnings of the project's own sources. They are errors in the presets, never for somebody who builds by hand.
add_library(opispool_warnings INTERFACE)
target_compile_options(opispool_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor)
if(OPISPOOL_WERROR)
  target_compile_options(opispool_warnings INTERFACE -Werror)
endif()
