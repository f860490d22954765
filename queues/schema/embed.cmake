# Writes a C++ source that holds the numbered schema files as text, so that the program needs no file beside it.
#   cmake -DOUTPUT=schema.cpp "-DINPUTS=0001_init.sql;0002_...sql" -P embed.cmake
set(literals "")
set(expected 1)
foreach(input IN LISTS INPUTS)
  get_filename_component(name ${input} NAME)
  string(REGEX MATCH "^0*([1-9][0-9]*)_" prefix ${name})
  if(NOT CMAKE_MATCH_1 EQUAL expected)
    message(FATAL_ERROR "schema file ${name}: the number ${expected} is next")
  endif()
  file(READ ${input} sql)
  string(APPEND literals "    // ${name}\n    R\"sql(${sql})sql\",\n")
  math(EXPR expected "${expected} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Made from queues/schema/*.sql by embed.cmake; do not edit.
#include \"queues/sqlite_schema.h\"

namespace opispool::queues {
namespace {

constexpr std::string_view steps[] = {
${literals}};

}  // namespace

std::span<const std::string_view> schema_steps() { return steps; }

}  // namespace opispool::queues
")
