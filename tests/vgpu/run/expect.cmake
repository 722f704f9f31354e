# SPDX-License-Identifier: MIT
# Runs COMMAND (a list) and checks its exit status and what it prints, on stdout and stderr together.
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(NOT status STREQUAL "${STATUS}")
  message(FATAL_ERROR "exit status ${status}, not ${STATUS}; it printed:\n${text}")
endif()
if(NOT text MATCHES "${PATTERN}")
  message(FATAL_ERROR "it printed:\n${text}\nwhich does not match: ${PATTERN}")
endif()
